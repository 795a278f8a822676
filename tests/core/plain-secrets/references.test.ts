// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are written like that.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type FindSecrets,
  REFERENCE_LIMITS,
  type ReferringSecret,
} from '../../../src/core/plain-secrets/reference-graph.ts'
import { resolveReferences } from '../../../src/core/plain-secrets/references.ts'

/** Values by environment, then by path and key; an environment of another app is `app::name`. */
type Store = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Answers from a store, and counts how often and for how many references it was asked. */
function finder(store: Store) {
  const asked: number[] = []
  const find: FindSecrets = async (wanted) => {
    asked.push(wanted.length)
    return wanted.map(({ environmentId, reference: { app, environment, path, key } }) => {
      const [home = ''] = /^.*::/.exec(environmentId) ?? []
      const name = environment === null ? environmentId : `${app === null ? home : `${app}::`}${environment}`
      return secret(store, name, path === '/' ? key : `${path}/${key}`)
    })
  }
  return { find, asked }
}

function secret(store: Store, environmentId: string, name: string): ReferringSecret | null {
  const value = store[environmentId]?.[name]
  return value === undefined ? null : { id: `${environmentId} ${name}`, environmentId, value }
}

const resolve = async (store: Store, environmentId = 'dev', find = finder(store).find) => {
  const names = Object.keys(store[environmentId] ?? {})
  const values = await resolveReferences(
    names.map((name) => secret(store, environmentId, name) as ReferringSecret),
    find,
  )
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
}

describe('a value with references', () => {
  test('has them replaced: of its environment, of a path, of another environment, of another app', async () => {
    const store = {
      dev: {
        A: 'a ${B} ${/db/B} ${prod.B} ${prod./db/B} ${other::dev./db/B} ${B}',
        B: 'b',
        '/db/B': 'db b',
      },
      prod: { B: 'prod b', '/db/B': 'prod db b' },
      'other::dev': { '/db/B': 'other db b' },
    }
    expect((await resolve(store)).A).toBe('a b db b prod b prod db b other db b b')
  })

  test('is resolved in the environment in which it stands', async () => {
    const store = {
      dev: { A: '${prod.A}', B: 'dev b' },
      prod: { A: '${B} ${x::dev.A}', B: 'prod b' },
      'x::dev': { A: '${B} ${prod.B}', B: 'x b' },
      'x::prod': { B: 'x prod b' },
    }
    expect((await resolve(store)).A).toBe('prod b x b x prod b')
  })

  test('is never looked at again once it is inserted', async () => {
    const store = { dev: { A: '$${B}', B: '{C}', C: 'wrong', D: '${prod.A}' }, prod: { A: '$', C: 'wrong' } }
    expect(await resolve(store)).toMatchObject({ A: '${C}', D: '$' })
    const halves = { dev: { A: '${X}${Y}', X: '${', Y: 'Z}', Z: 'wrong' } }
    expect((await resolve(halves)).A).toBe('${Z}')
  })
})

describe('what can’t be resolved stays as it is written', () => {
  test('where something is missing, beside what can be', async () => {
    const store = { dev: { A: '${NONE} ${B} ${none.B} ${none::dev.B} ${/none/B}', B: 'b' } }
    expect((await resolve(store)).A).toBe('${NONE} b ${none.B} ${none::dev.B} ${/none/B}')
  })

  test('where something is missing on the way: no part of a value is inserted', async () => {
    const store = { dev: { A: 'x${B}', B: 'y${C}', C: 'z${NONE}', D: '${E}${B}', E: 'e' } }
    expect(await resolve(store)).toEqual({ A: 'x${B}', B: 'y${C}', C: 'z${NONE}', D: 'e${B}', E: 'e' })
  })

  test('in a cycle, and where a value refers to one', async () => {
    const store = {
      dev: { SELF: '${SELF}', A: '${B}', B: '${C} ${OK}', C: '${prod.A}', IN: '${A}', OK: 'ok' },
      prod: { A: '${x::dev.A}' },
      'x::dev': { A: '${x::dev.A}' },
    }
    expect(await resolve(store)).toEqual({ ...store.dev, B: '${C} ok' })
    const loop = { dev: { A: '${prod.A}' }, prod: { A: '${dev.A}' } }
    expect(await resolve(loop)).toEqual(loop.dev)
  })

  test('beyond 25 references one behind the other, wherever one begins', async () => {
    const chain = (prefix: string) =>
      Object.fromEntries(
        Array.from({ length: 30 }, (_, index) => [
          `K${index}`,
          index === 29 ? 'end' : `${prefix}K${index + 1}}`,
        ]),
      )
    const dev = chain('${')
    const resolved = await resolve({ dev })
    for (let index = 0; index < 30; index++) {
      const name = `K${index}`
      expect(resolved[name], name).toBe(29 - index <= 25 ? 'end' : dev[name])
    }
    // The same where each is found one step later.
    const far = { dev: { NEAR: '${prod.K5}', FAR: '${prod.K4}' }, prod: dev }
    expect(await resolve(far)).toEqual({ NEAR: 'end', FAR: '${prod.K4}' })
  })
})

describe('a bomb of references', () => {
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const start = performance.now()
    const result = await work()
    expect(performance.now() - start).toBeLessThan(3000)
    return result
  }
  const total = (values: Record<string, string>) => Object.values(values).join('').length

  test('that doubles at each step is small, and nothing of it is inserted in part', async () => {
    const dev = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `K${index}`,
        index === 0 ? 'x'.repeat(1000) : `\${K${index - 1}}`.repeat(2),
      ]),
    )
    const resolved = await timed(() => resolve({ dev }))
    expect(total(resolved)).toBeLessThan(REFERENCE_LIMITS.totalCharacters)
    for (const [name, value] of Object.entries(resolved)) {
      expect(/^x+$/.test(value) || value === dev[name]).toBe(true)
    }
    expect(resolved.K8?.length).toBe(256_000)
    expect(resolved.K9).toBe(dev.K9 as string)
  })

  test('of one large value inserted many times stays below the limits of a value and of all', async () => {
    const many = '${BIG}'.repeat(10_000)
    const twice = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`T${index}`, '${BIG}${BIG}']))
    const dev = { BIG: 'x'.repeat(65_000), MANY: many, ...twice }
    const resolved = await timed(() => resolve({ dev }))
    expect(resolved.MANY).toBe(many)
    const inserted = Object.entries(resolved).filter(
      ([name, value]) => /^T/.test(name) && value !== '${BIG}${BIG}',
    )
    expect(inserted.length).toBe(Math.floor(REFERENCE_LIMITS.totalCharacters / 130_000))
    for (const [, value] of inserted) expect(value.length).toBe(130_000)
  })

  test('of references to ever other places is looked up to a limit, in few calls', async () => {
    const manyPlaces = Array.from({ length: 12_000 }, (_, index) => `\${e${index}.A}`).join('')
    const { find, asked } = finder({ dev: { A: manyPlaces } })
    const resolved = await timed(() => resolve({ dev: { A: manyPlaces, B: '${A}' } }, 'dev', find))
    expect(resolved.A).toBe(manyPlaces)
    expect(asked).toEqual([REFERENCE_LIMITS.lookUps])
  })

  test('that leads from environment to environment is followed 25 steps at most', async () => {
    const store = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`e${index}`, { A: `\${e${index + 1}.A}` }]),
    )
    const { find, asked } = finder(store)
    await resolve(store, 'e0', find)
    expect(asked).toEqual(Array.from({ length: 25 }, () => 1))
  })

  test('of more references than are read leaves the values that come later alone', async () => {
    const many = '${A}'.repeat(16_000)
    const dev = { A: 'a', B: many, C: many, D: many, E: many, F: '${A}', G: '${F}' }
    const resolved = await timed(() => resolve({ dev }))
    expect(resolved).toMatchObject({ B: 'a'.repeat(16_000), F: '${A}', G: '${F}' })
  })

  test('of thousands of links in one environment takes little time', async () => {
    const dev = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`K${index}`, `\${K${index + 1}}`]),
    )
    const resolved = await timed(() => resolve({ dev: { ...dev, K5000: 'end' } }))
    expect(resolved.K4975).toBe('end')
    expect(resolved.K4974).toBe('${K4975}')
  })
})

describe('resolving any graph', () => {
  /** What a value resolves to by the words of the rule: a reference is replaced if its secret is, in 25 steps. */
  function byTheRule(
    store: Store,
    value: string,
    depth: number,
    path: readonly string[],
  ): { text: string; whole: boolean } {
    let whole = true
    const text = value.replace(/\$\{(\w+)\}/g, (written, name: string) => {
      const target = store.dev?.[name]
      const inner =
        target === undefined || path.includes(name) || depth === 25
          ? null
          : byTheRule(store, target, depth + 1, [...path, name])
      if (inner?.whole) return inner.text
      whole = false
      return written
    })
    return { text, whole }
  }

  test('gives what the rule says, in whatever order the secrets come', async () => {
    const name = fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F', 'NONE')
    const value = fc
      .array(
        fc.oneof(
          name.map((known) => `\${${known}}`),
          fc.constantFrom('x', 'y'),
        ),
        { maxLength: 4 },
      )
      .map((parts) => parts.join(''))
    const dev = fc.uniqueArray(
      fc.tuple(
        name.filter((known) => known !== 'NONE'),
        value,
      ),
      { selector: ([key]) => key },
    )
    await fc.assert(
      fc.asyncProperty(dev, async (pairs) => {
        const store = { dev: Object.fromEntries(pairs) }
        const resolved = await resolve(store)
        for (const [key, written] of pairs) {
          expect(resolved[key]).toBe(byTheRule(store, written, 0, [key]).text)
        }
      }),
      { numRuns: 2000 },
    )
  })
})
