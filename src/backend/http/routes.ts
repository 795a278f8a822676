import { ANY_CONTENT_TYPE, REMEMBER, type Remembering, SCANS } from './guard.ts'
import { type DeclaredRefusal, REFUSAL } from './refusals.ts'

type Hooks = {
  response?: unknown
  query?: { properties?: object }
  detail?: Record<string, unknown>
}
type Route = { method: string; path: string; hooks: Hooks }

/** What the routes declare. They are read at the first request, when all are registered. */
export function routeTable(routes: () => readonly unknown[]) {
  let known: ReturnType<typeof build> | null = null
  const table = () => {
    known ??= build(routes() as readonly Route[])
    return known
  }
  return {
    /** The methods that are allowed on a path, sorted; empty for an unknown path. */
    methodsAt: (path: string): readonly string[] => {
      const bare = withoutSlash(path)
      const { literal, patterns } = table()
      return literal.get(bare) ?? patterns.find(({ pattern }) => pattern.test(bare))?.methods ?? []
    },
    /** Whether a GET of this path may be answered from memory; a literal path that may not can look like one that may. */
    mayBeRemembered: (path: string): boolean => table().remembered.test(path),
    /** The request headers by which the answers of a path differ. */
    headersOf: (path: string): readonly string[] => table().headers.get(withoutSlash(path)) ?? [],
    /** Whether a path reads a body as JSON whatever its Content-Type. */
    takesAnyContentType: (method: string, path: string): boolean =>
      table().anyContentType.has(keyOf(method, path)),
    /** Whether the answers of a route may be remembered. */
    isRemembered: (method: string, route: string): boolean => table().kept.has(keyOf(method, route)),
    /** Whether the answers of a route have an ETag. */
    hasETag: (method: string, route: string): boolean => table().withETag.has(keyOf(method, route)),
    /** Whether a route looks through much of the database. */
    isScan: (method: string, route: string): boolean => table().scans.has(keyOf(method, route)),
    /** The 2xx status that a route declares. */
    successOf: (method: string, route: string): number => table().successes.get(keyOf(method, route)) ?? 200,
    /** The query parameters that a route knows. */
    parametersOf: (method: string, route: string): readonly string[] =>
      table().parameters.get(keyOf(method, route)) ?? [],
    /** The event of a route's refusals in the audit log; undefined for public routes. */
    refusalOf: (method: string, route: string): DeclaredRefusal | undefined =>
      table().refusals.get(keyOf(method, route)),
  }
}

/** A literal path wins over one with a parameter in its place. */
function build(routes: readonly Route[]) {
  const byPath = new Map<string, string[]>()
  const successes = new Map<string, number>()
  const parameters = new Map<string, readonly string[]>()
  const refusals = new Map<string, DeclaredRefusal>()
  const withETag = new Set<string>()
  const kept = new Set<string>()
  const remembered: string[] = []
  const headers = new Map<string, readonly string[]>()
  const anyContentType = new Set<string>()
  const scans = new Set<string>()
  for (const { method, path, hooks } of routes) {
    const bare = withoutSlash(path)
    const methods = method === 'GET' ? ['GET', 'HEAD'] : [method]
    byPath.set(bare, [...(byPath.get(bare) ?? []), ...methods].sort())
    const success = Object.keys(hooks.response ?? {}).find((status) => status.startsWith('2'))
    if (success !== undefined) successes.set(keyOf(method, path), Number(success))
    parameters.set(keyOf(method, path), Object.keys(hooks.query?.properties ?? {}))
    const refusal = hooks.detail?.[REFUSAL] as DeclaredRefusal | undefined
    if (refusal !== undefined) refusals.set(keyOf(method, path), refusal)
    if (hooks.detail?.[ANY_CONTENT_TYPE] === true) anyContentType.add(keyOf(method, path))
    if (hooks.detail?.[SCANS] === true) scans.add(keyOf(method, path))
    const remember = hooks.detail?.[REMEMBER] as Remembering | undefined
    if (remember === undefined || (remember !== true && 'never' in remember)) continue
    withETag.add(keyOf(method, path))
    if (remember !== true && 'not' in remember) continue
    if (remember !== true) headers.set(bare, remember.by)
    kept.add(keyOf(method, path))
    remembered.push(bare)
  }
  const literal = new Map([...byPath].filter(([path]) => !path.includes(':')))
  const patterns = [...byPath]
    .filter(([path]) => path.includes(':'))
    .map(([path, methods]) => ({ pattern: new RegExp(`^${patternOf(path)}$`), methods }))
  return {
    literal,
    patterns,
    successes,
    parameters,
    refusals,
    withETag,
    kept,
    headers,
    anyContentType,
    scans,
    remembered: new RegExp(`^(?:${remembered.map(patternOf).join('|')})/?$`),
  }
}

const patternOf = (path: string): string => path.replace(/:[a-z_]+/g, '[^/]+')

const keyOf = (method: string, path: string): string =>
  `${method === 'HEAD' ? 'GET' : method} ${withoutSlash(path)}`

/** A path without the slash at its end: both forms are the same route. */
export const withoutSlash = (path: string): string => path.replace(/(.)\/$/, '$1')
