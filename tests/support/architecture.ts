/** Checks of the source's structure. Each takes files and returns its findings as sentences: none is good. */

/** Paths relative to the repository, to contents. */
export type Sources = ReadonlyMap<string, string>

export type Import = { from: string; to: string; kind: 'type' | 'value' }

/** What an area may import from another: nothing, types alone, or everything. Within itself, everything. */
export type Rules = Readonly<Record<string, Readonly<Record<string, 'type' | 'value'>>>>

/** Every import of one source file by another. Packages and files outside `src/` are not among them. */
export function importsOf(sources: Sources): Import[] {
  return [...sources].flatMap(([from, text]) =>
    specifiers(from, text)
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier, kind }) => ({ from, to: resolve(from, specifier), kind }))
      .filter(({ to }) => to.startsWith('src/')),
  )
}

/** Imports against the direction, where `areaOf` says which area a file belongs to. */
export function wrongDirections(imports: Import[], areaOf: (file: string) => string, rules: Rules): string[] {
  return imports
    .filter(({ from, to, kind }) => {
      const [source, target] = [areaOf(from), areaOf(to)]
      const allowed = rules[source]?.[target]
      return source !== target && allowed !== 'value' && allowed !== kind
    })
    .map(
      ({ from, to, kind }) =>
        `${from} must not import ${kind === 'type' ? 'even a type' : 'values'} from ${to}.`,
    )
}

/** Imports of a feature's SQL from outside that feature: others ask its use cases. */
export function foreignQueries(imports: Import[]): string[] {
  return imports
    .filter(
      ({ from, to }) =>
        /^src\/core\/.*\/(?:[a-z-]+-)?queries\.ts$/.test(to) && folderOf(from) !== folderOf(to),
    )
    .map(({ from, to }) => `${from} must not import ${to}: the feature's use cases are for others.`)
}

/** Statements to the database outside the areas that may hold SQL. */
export function foreignStatements(sources: Sources, mayHold: (file: string) => boolean): string[] {
  const statement = /\b(?:db|tx|sql)(?:<[^`;]*>)?`|\b(?:db|tx|sql)\.(?:unsafe|begin|file)\(/
  return [...sources]
    .filter(([file, text]) => !mayHold(file) && statement.test(text))
    .map(([file]) => `${file} sends a statement to the database itself.`)
}

/** Resources of the API and features of the core without a test file in their place. */
export function untested(files: readonly string[]): string[] {
  const there = new Set(files)
  const resources = files.filter((file) => /^src\/backend\/(?:v1|service)\/[^/]+\.ts$/.test(file))
  const features = new Set(files.flatMap((file) => file.match(/^src\/(core\/[^/]+)\//)?.[1] ?? []))
  return [
    ...resources
      .map((file) => file.replace(/^src\/(.*)\.ts$/, 'tests/$1.test.ts'))
      .filter((test) => !there.has(test))
      .map((test) => `${test} is missing.`),
    ...[...features]
      .filter((feature) => !files.some((file) => file.startsWith(`tests/${feature}/`) && isTest(file)))
      .map((feature) => `tests/${feature}/ holds no test.`),
  ]
}

/** Circles of imports, those of types included. */
export function cycles(imports: Import[]): string[] {
  const targets = Map.groupBy(imports, ({ from }) => from)
  const done = new Set<string>()
  const found: string[] = []
  const visit = (file: string, path: string[]) => {
    const start = path.indexOf(file)
    if (start >= 0) found.push(`${[...path.slice(start), file].join(' → ')} is a circle.`)
    if (start >= 0 || done.has(file)) return
    for (const { to } of targets.get(file) ?? []) visit(to, [...path, file])
    done.add(file)
  }
  for (const file of targets.keys()) visit(file, [])
  return found
}

/** Uses of the runtime or the operating system, outside the files that may. */
export function runtimeUses(sources: Sources, mayUse: (file: string) => boolean): string[] {
  const modules = /^(bun(:.*)?|(node:)?(fs|fs\/promises|child_process|process|worker_threads))$/
  const globals =
    /(?<![\w$.'"`/-])(?:globalThis\.)?(?:Bun|process)(?:\??\.|\[)(?=[\w'"[])|[=(,] ?(?:Bun|process)(?=[;,)\s])/m
  return [...sources]
    .filter(([file]) => !mayUse(file))
    .flatMap(([file, text]) => [
      ...specifiers(file, text).flatMap(({ specifier }) =>
        modules.test(specifier) ? [`${file} imports ${specifier}.`] : [],
      ),
      ...(globals.test(transpiler(file).transformSync(text)) ? [`${file} uses Bun or process.`] : []),
    ])
}

/**
 * What keeps the values of these files out of a browser: packages, modules of Node and files elsewhere, imported by them
 * or by files that they import.
 */
export function unavailableInBrowsers(
  sources: Sources,
  isStart: (file: string) => boolean,
  mayImport: (file: string) => boolean,
): string[] {
  const found: string[] = []
  const seen = new Set<string>()
  const visit = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    for (const { specifier, kind } of specifiers(file, sources.get(file) ?? '')) {
      if (kind === 'type') continue
      const target = specifier.startsWith('.') ? resolve(file, specifier) : specifier
      if (specifier.startsWith('.') && mayImport(target)) visit(target)
      else found.push(`${file} must not import values from ${target}: browsers load ${file}, too.`)
    }
  }
  for (const file of [...sources.keys()].filter(isStart)) visit(file)
  return found
}

/** Files that import the library of schemas that is for other files; each file belongs to one of the two. */
export function wrongSchemaLibraries(sources: Sources, usesTypebox1: (file: string) => boolean): string[] {
  return [...sources].flatMap(([file, text]) => {
    const wrong = usesTypebox1(file) ? '@sinclair/typebox' : 'typebox'
    return specifiers(file, text)
      .filter(({ specifier }) => specifier === wrong || specifier.startsWith(`${wrong}/`))
      .map(({ specifier }) => `${file} must not import ${specifier}.`)
  })
}

/** Files that are too long, named badly, or export a default. */
export function badFiles(sources: Sources, maxLines: number): string[] {
  const vague = /(^|[/-])(utils?|helpers?|managers?|common|misc)([/.-]|$)/
  return [...sources].flatMap(([file, text]) => {
    const lines = text.startsWith('// Generated from ') ? 0 : text.trimEnd().split('\n').length
    const name = file.slice(file.lastIndexOf('/') + 1)
    return [
      ...(lines > maxLines ? [`${file} has ${lines} lines, more than ${maxLines}.`] : []),
      ...(/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)+$/.test(name) ? [] : [`${file} is not in kebab-case.`]),
      ...(vague.test(file) ? [`${file} is not named for its content.`] : []),
      ...(/^index\.[jt]sx?$/.test(name) ? [`${file} is a barrel, or named like one.`] : []),
      ...(/^export default\b/m.test(text) ? [`${file} exports a default.`] : []),
    ]
  })
}

/** Exported functions without a doc comment directly above. */
export function undocumented(sources: Sources): string[] {
  const exported = /^export (?:(?:async )?function\*? (\w+)|const (\w+)[^=\n]*= (?:async )?(?:\(|<|function))/
  return [...sources].flatMap(([file, text]) => {
    const lines = text.split('\n')
    return lines.flatMap((line, index) => {
      const [, first, second] = line.match(exported) ?? []
      const name = first ?? second
      return name && !lines[index - 1]?.trimEnd().endsWith('*/')
        ? [`${file}: ${name} has no doc comment.`]
        : []
    })
  })
}

/** Lines that match one of the patterns, with what each of them gives away. */
export function leftovers(sources: Sources, patterns: Readonly<Record<string, RegExp>>): string[] {
  return [...sources].flatMap(([file, text]) =>
    Object.entries(patterns).flatMap(([what, pattern]) =>
      text
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1} holds ${what}.`] : [])),
    ),
  )
}

const folderOf = (file: string): string => file.slice(0, file.lastIndexOf('/'))

const isTest = (file: string): boolean => file.endsWith('.test.ts')

function specifiers(file: string, text: string): { specifier: string; kind: 'type' | 'value' }[] {
  // The scanner leaves out types; the expressions below find them too, and only they see `import('x').Y`.
  const values = new Set(
    transpiler(file)
      .scanImports(text)
      .map(({ path }) => path),
  )
  const statements = text.matchAll(/^(?:import|export)\b[^'"`;=]*?\bfrom ['"]([^'"]+)['"]/gm)
  const inline = text.matchAll(/\bimport\(['"]([^'"]+)['"]\)/g)
  const all = new Set([...values, ...[...statements, ...inline].flatMap(([, specifier]) => specifier ?? [])])
  return [...all].map((specifier) => ({ specifier, kind: values.has(specifier) ? 'value' : 'type' }))
}

function resolve(from: string, specifier: string): string {
  return new URL(specifier, `file:///${from}`).pathname.slice(1)
}

function transpiler(file: string): Bun.Transpiler {
  return new Bun.Transpiler({ loader: file.endsWith('x') ? 'tsx' : 'ts', target: 'bun' })
}
