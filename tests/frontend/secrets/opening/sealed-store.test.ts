// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are written like that.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { environmentKeyPair, generateEnvironmentKeys } from '../../../../src/core/keys/environment-keys.ts'
import { generateIdentityKeys, identityKeyToX25519Public } from '../../../../src/core/keys/identity-keys.ts'
import { wrapForToken } from '../../../../src/core/keys/token-wrapping.ts'
import { unwrapWithSecretKey, wrapForPublicKey } from '../../../../src/core/keys/wrapping.ts'
import type { NewSecret } from '../../../../src/frontend/app/secrets/secret.ts'
import type { Store } from '../../../../src/frontend/app/secrets/store.ts'
import { openConsolePage } from '../../../support/console-page.ts'

type Sealed = Record<string, unknown> & { id: string; value: string }

const identity = generateIdentityKeys()
const recipient = identityKeyToX25519Public(identity.publicKey)
const environments = ['Production', 'Staging'].map((name) => {
  const keys = generateEnvironmentKeys()
  return { id: name.toLowerCase(), name, ...keys, pair: environmentKeyPair(keys.seed) }
})
const [production = never(), staging = never()] = environments

/** What the server stores, by environment; and the methods with which it was asked to change that. */
const stored = new Map<string, Sealed[]>()
let writes: string[] = []
let created = 0
let isFull = false

const page = openConsolePage(async (request) => {
  const path = new URL(request.url).pathname.replace(/\/$/, '')
  if (path === '/v1/me/keys') return Response.json(wrappedKeys())
  if (path === '/v1/apps/shop') {
    return Response.json({ id: 'shop', environments: environments.map(({ id, name }) => ({ id, name })) })
  }
  const secrets = stored.get(request.headers.get('environment') ?? '') ?? never()
  if (request.method === 'GET') return Response.json(secrets)
  writes.push(request.method)
  if (isFull && request.method === 'POST') return Response.json({ error: 'It is full.' }, { status: 403 })
  const body = (await request.json()) as { secrets: Sealed[] }
  for (const secret of body.secrets) {
    const known = secrets.find(({ id }) => id === secret.id)
    if (known !== undefined) Object.assign(known, secret)
    else secrets.push({ path: '/', type: 'secret', override: null, ...secret, id: `id-${++created}` })
  }
  return Response.json([])
})
const { createSealedStore } = await import('../../../../src/frontend/app/secrets/opening/sealed-store.ts')
let store: Store
beforeEach(async () => {
  created = 0
  for (const { id } of environments) stored.set(id, [])
  store = await createSealedStore('shop')
})
afterAll(() => page[Symbol.dispose]())

const add = async (secrets: (Partial<NewSecret> & { key: string })[], environment = production) => {
  await store.create(
    environment,
    secrets.map((secret) => ({ path: '/', value: '', ...secret })),
  )
  writes = []
}
const exported = (format: 'dotenv' | 'json' | 'yaml' | 'kubernetes' = 'dotenv', path?: string) =>
  store.export(production, format, path)
const imported = (content: string, { isDryRun = false, path = '/', format = 'dotenv' as const } = {}) =>
  store.import(production, { content, format, path }, isDryRun)
const problemOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: Error) => error.message,
  )

describe('the file that the browser exports', () => {
  test('is refused where a shell would run or change what is in it', async () => {
    for (const key of ['RANDOM', 'x;touch${IFS}/tmp/p;y', 'a.b']) {
      stored.set('production', [])
      await add([{ key: 'A' }, { key, value: '1' }])
      expect(await problemOf(exported())).toBe(
        "1 secret has a key or value that this format can't hold. Choose the format json or yaml.",
      )
      for (const format of ['json', 'yaml'] as const)
        expect(await exported(format)).toContain(`"${key}": "1"`)
    }
    expect(await problemOf(exported('kubernetes'))).toContain('choose .env, JSON or YAML')
  })

  test('is refused where two paths have the same key, and holds one path where it is chosen', async () => {
    await add([
      { key: 'A', value: '1' },
      { key: 'A', value: '2', path: '/x' },
    ])
    expect(await problemOf(exported())).toStartWith('Several paths have the same key.')
    expect(await exported('dotenv', '/x')).toBe('A=2\n')
  })

  test('holds sealed values, which the page never gets', async () => {
    await add([{ key: 'MASTER', value: 'hunter2', type: 'sealed' }])
    expect((await store.list(production)).map(({ value }) => value)).toEqual([''])
    expect(await exported()).toBe('MASTER=hunter2\n')
  })

  test('has the references resolved that name no app, with the reader’s own values', async () => {
    await add([
      { key: 'A', value: 'a' },
      { key: 'HERE', value: '${A} ${/db/HOST}' },
      { key: 'THERE', value: '${STAGING.B} ${staging./db/HOST}' },
      { key: 'LEFT', value: '${Other::staging.B} ${none.B} ${NONE}' },
      { key: 'HOST', value: 'own', path: '/db' },
    ])
    await add(
      [
        { key: 'A', value: 's' },
        { key: 'B', value: '${A}' },
        { key: 'HOST', value: 'h', path: '/db' },
      ],
      staging,
    )
    const mine = wrapForPublicKey('mine', production.pair.publicKey)
    Object.assign(stored.get('production')?.[0] ?? never(), { override: { value: mine, isActive: true } })
    expect(JSON.parse(await exported('json'))).toEqual({
      A: 'mine',
      HERE: 'mine own',
      THERE: 's h',
      LEFT: '${Other::staging.B} ${none.B} ${NONE}',
      HOST: 'own',
    })
  })
})

describe('the file that the browser exports of what clients have written', () => {
  test('leaves references to what can’t be opened as they are written', async () => {
    await add([{ key: 'A', value: '${staging.GOOD} ${staging.BAD}' }])
    await add([{ key: 'BAD' }, { key: 'GOOD', value: 'g' }], staging)
    spoil(staging.id, 0)
    expect(JSON.parse(await exported('json'))).toEqual({ A: 'g ${staging.BAD}' })
  })

  test('is refused where a key is at a path twice', async () => {
    await add([
      { key: 'A', value: '1' },
      { key: 'A', value: '2' },
    ])
    expect(await problemOf(exported())).toStartWith('Several paths have the same key.')
  })
})

describe('an import in the browser', () => {
  test('adds what is new and changes what has another value, of sealed secrets, too', async () => {
    await add([
      { key: 'SAME', value: '1' },
      { key: 'MASTER', value: 'hunter2', type: 'sealed' },
      { key: 'EMPTY', value: 'x', type: 'sealed' },
    ])
    const content = 'SAME=1\nMASTER=hunter2\nEMPTY=\nNEW=n'
    const answer = {
      created: [{ key: 'NEW', path: '/' }],
      changed: [{ key: 'EMPTY', path: '/' }],
      unchanged: ['SAME', 'MASTER'].map((key) => ({ key, path: '/' })),
    }
    expect(await imported(content, { isDryRun: true })).toEqual(answer)
    expect(writes).toEqual([])
    expect(await imported(content)).toEqual(answer)
    expect(writes).toEqual(['PUT', 'POST'])
    expect(await exported()).toBe('SAME=1\nMASTER=hunter2\nEMPTY=\nNEW=n\n')
  })

  test.each([
    ['a key twice', 'A=2\nNEW=1\nNEW=2', 'The key in line 3 is that of line 2.'],
    ['a key with a blank', 'A=2\nMY KEY=1', 'The key in line 2 must not contain white space, control'],
    [
      'a long value',
      `A=2\nB=${'x'.repeat(64 * 1024 + 1)}`,
      'The value in line 2 must have at most 65536 bytes.',
    ],
    ['a NUL', 'A=2\nB=x\0', 'The value in line 2 must not contain NUL characters.'],
    ['half a character', 'A=2\nB=x\ud800', 'The value in line 2 must be well-formed Unicode.'],
  ])(
    'refuses %s as the server does, with nothing written, and so does its dry run',
    async (_, content, sentence) => {
      await add([{ key: 'A', value: '1' }])
      for (const isDryRun of [true, false]) {
        expect(await problemOf(imported(content, { isDryRun }))).toStartWith(sentence)
      }
      expect(writes).toEqual([])
    },
  )

  test('says what was written where the server refuses what is new', async () => {
    await add([{ key: 'A', value: '1' }])
    isFull = true
    try {
      expect(await problemOf(imported('NEW=1'))).toBe('It is full.')
      expect(await problemOf(imported('A=2\nNEW=1'))).toBe(
        'What was there has been changed, but what is new was not added: It is full.',
      )
    } finally {
      isFull = false
    }
    expect(await exported()).toBe('A=2\n')
  })

  test('refuses a path that there can’t be', async () => {
    expect(await problemOf(imported('A=1', { isDryRun: true, path: '/a b' }))).toStartWith(
      'path must be a path',
    )
  })
})

test('a secret that can’t be opened is named by its id', async () => {
  await add([{ key: 'GOOD', value: '1' }, { key: 'BAD' }])
  spoil(production.id, 1)
  const sentence =
    "The secret id-2 was not sealed for the keys of its environment, so it can't be opened. Replace or delete it."
  expect(await problemOf(store.list(production))).toBe(sentence)
  expect(await problemOf(exported())).toBe(sentence)
  expect(await problemOf(imported('X=1'))).toBe(sentence)
})

test('what the server gets is sealed', async () => {
  await add([{ key: 'A', value: 'plain' }])
  const [secret = never()] = stored.get('production') ?? []
  const { publicKey, secretKey } = production.pair
  expect(secret.value).not.toContain('plain')
  expect(unwrapWithSecretKey(secret.value, publicKey, secretKey)).toBe('plain')
})

/** Has a secret hold a value that nobody can open. */
function spoil(environmentId: string, place: number): void {
  const value = wrapForPublicKey('x', recipient)
  Object.assign(stored.get(environmentId)?.[place] ?? never(), { value })
}

function wrappedKeys() {
  return {
    identityKey: identity.publicKey,
    wrappedPrivateKey: wrapForToken(page.bearer, identity.privateKey),
    environments: environments.map(({ id, seed, salt }) => ({
      environmentId: id,
      wrappedSeed: wrapForPublicKey(seed, recipient),
      wrappedSalt: wrapForPublicKey(salt, recipient),
    })),
  }
}

function never(): never {
  throw new Error('This is always there.')
}
