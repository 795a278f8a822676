import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { inAnotherShare } from '../../../src/core/actor.ts'
import { wrapForPublicKey } from '../../../src/core/keys/wrapping.ts'
import { LARGE_READS_OF } from '../../../src/core/large-reads.ts'
import { changePlanned } from '../../../src/core/secrets/planned-changes.ts'
import { type Answer, api, type Client } from '../../support/api.ts'
import { app, appWith, grant, type TestApp } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { nextToWait, takeAllTurns, waitsForTurn } from '../../support/large-turns.ts'
import { member, owner, ownerActor, roleOf } from '../../support/people.ts'
import { sealedSecret, secretsOf } from '../../support/secrets.ts'
import { statementsOf } from '../../support/statements.ts'

const MIB = 1024 * 1024
const TOO_LARGE =
  'The secrets of an environment can take at most 8 MiB as they are stored, sealed. Delete some, make their values smaller, or put some into another environment.'

let ctx: TestContext
let client: Client
let ada: Awaited<ReturnType<typeof owner>>
let shop: TestApp
let environmentId: string
let place: string

beforeAll(async () => {
  ctx = await testContext()
  ada = await owner(ctx)
  client = api(ctx).as(ada.token)
})
beforeEach(async () => {
  shop = await app(ctx)
  environmentId = shop.environments[1]?.id ?? ''
  place = `/v1/secrets/?app_id=${shop.id}&env=production`
})
afterAll(() => ctx.close())

const create = (...secrets: object[]) => client.post(place, { secrets })
/** Has a secret take about so many bytes, by a comment that cannot be opened. */
const fill = (secret: { id: string }, bytes: number) =>
  ctx.db`update secrets set comment = repeat('x', ${Math.floor(bytes)}) where id = ${secret.id}`
const large = (key: string) => ({ key, value: 'x'.repeat(65_000) })
const refused = ({ status, body }: Answer) => expect([status, body.error]).toEqual([403, TOO_LARGE])

describe('what the secrets of an environment can take', () => {
  test('beyond it none can be created, changed, imported or restored, and nothing is half done', async () => {
    const [one] = (await create({ key: 'ONE', value: '1' })).body
    const [two] = (await create(large('TWO'))).body
    await client.put(place, { secrets: [{ id: two.id, value: 'small' }] })
    await fill(one, 8 * MIB - 20_000)
    const before = (await secretsOf(client, environmentId)('GET')).body

    refused(await create({ key: 'SMALL', value: 's' }, large('LARGE')))
    refused(await client.put(place, { secrets: [{ id: two.id, value: 'x'.repeat(65_000) }] }))
    refused(await client.post(`/v1/secrets/${two.id}/restore`, { version: 1 }))
    expect((await secretsOf(client, environmentId)('GET')).body).toEqual(before)
    expect((await create({ key: 'SMALL', value: 's' })).status).toBe(200)
    // Another environment of the app has its own room.
    const other = `/v1/secrets/?app_id=${shop.id}&env=development`
    expect((await client.post(other, { secrets: [large('LARGE')] })).status).toBe(200)
    await client.put(place, { secrets: [{ id: one.id, comment: '' }] })
    expect((await create(large('LARGE'))).status).toBe(200)
  })

  test('an import and the restoring of all are bounded, too', async () => {
    const [one, { id }] = (await create({ key: 'ONE', value: '1' }, large('TWO'))).body
    ctx.clock.advance(60)
    const at = ctx.clock.now().toISOString()
    ctx.clock.advance(60)
    await client.put(place, { secrets: [{ id, value: 'small' }] })
    // Its version, too: that of the first secret stays as it is.
    await fill(one, 8 * MIB - 20_000)
    await ctx.db`
      update secret_versions v set comment = s.comment from secrets s
      where s.id = v.secret_id and v.environment_id = ${environmentId} and s.id <> ${id}`
    refused(
      await client.post(`/v1/secrets/import?app_id=${shop.id}&env=production`, {
        content: JSON.stringify({ THREE: 'x'.repeat(65_000) }),
        format: 'json',
      }),
    )
    refused(await client.post(`/v1/environments/${environmentId}/secrets/restore`, { at }))
  })

  test('two changes at once can’t pass it together', async () => {
    const [one] = (await create({ key: 'ONE', value: '1' })).body
    await fill(one, 8 * MIB - 150_000)
    const answers = await Promise.all(['A', 'B', 'C'].map((key) => create(large(key))))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403])
  })

  test('what takes more already can be read and become less, but not more', async () => {
    const [one, two] = (await create({ key: 'ONE', value: '1' }, { key: 'TWO', value: '2' })).body
    await fill(one, 40 * MIB)
    const { status, body } = await secretsOf(client, environmentId)('GET')
    expect([status, body.length]).toEqual([200, 2])
    refused(await create({ key: 'THREE', value: '3' }))
    expect((await client.send('DELETE', place, { body: JSON.stringify({ secrets: [two.id] }) })).status).toBe(
      200,
    )
  })

  test('a member’s overrides have room of their own', async () => {
    const [one, two] = (
      await create({ key: 'ONE', value: '1', override: { value: 'o' } }, { key: 'TWO', value: '2' })
    ).body
    await ctx.db`update secret_overrides set value = repeat('x', ${4 * MIB - 20_000}) where secret_id = ${one.id}`
    const set = (value: string) => client.put(`/v1/secrets/${two.id}/override`, { plain_value: value })
    expect(await set('x'.repeat(65_000))).toMatchObject({
      status: 403,
      body: {
        error:
          'Your overrides in an environment can take at most 4 MiB as they are stored, sealed. Remove some, or make them smaller.',
      },
    })
    expect((await set('small')).status).toBe(200)
    expect((await create(large('LARGE'))).status).toBe(200)
  })
})

/** What seals texts for an environment, each under an ephemeral key of its own. */
async function sealerFor(id: string): Promise<(text: string) => string> {
  const [row] = await ctx.db<{ public_key: string }[]>`select public_key from environments where id = ${id}`
  const publicKey = Buffer.from(row?.public_key ?? '', 'hex')
  return (text) => wrapForPublicKey(text, publicKey)
}

describe('large answers', () => {
  test('are made in turns: a caller that asks for many at once gets all, or is told to wait', async () => {
    const [one] = (await create({ key: 'ONE', value: '1' })).body
    await fill(one, 8 * MIB)
    const read = () => secretsOf(client, environmentId)('GET', undefined, { 'x-use-camel-case': 'true' })
    const answers = await Promise.all(Array.from({ length: 6 }, read))
    for (const { status } of answers) expect([200, 503]).toContain(status)
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    expect((await read()).status).toBe(200)
  })

  test('that a member’s service accounts leave unread count for the member, and keep nobody else from reading', async () => {
    const [one] = (await create({ key: 'ONE', value: '1' })).body
    await fill(one, 8 * MIB)
    const { app: backend } = api(ctx)
    const { id: role_id } = await roleOf(ctx, 'manager')
    const access = { apps: [{ id: shop.id, environments: [environmentId] }] }
    const reader = await member(ctx, 'developer')
    await client.put(`/v1/members/${reader.id}/access`, access)
    const tokens: string[] = []
    for (const name of ['first', 'second', 'third', 'fourth']) {
      const { body } = await client.post('/v1/service-accounts', { name: `${name} ${shop.id}`, role_id })
      await client.put(`/v1/service-accounts/${body.id}/access`, access)
      tokens.push(body.initialToken.token)
    }
    const unread: Response[] = []
    const read = async (token: string) => {
      const headers = { authorization: `Bearer ${token}`, environment: environmentId }
      const response = await backend.handle(new Request('http://localhost/service/secrets/', { headers }))
      unread.push(response)
      return response.status
    }
    const statuses: number[] = []
    for (const token of [...tokens, ...tokens]) statuses.push(await read(token))
    expect(statuses).toEqual([200, 200, 200, 200, 200, 503, 503, 503])
    expect(await read(reader.token)).toBe(200)
    for (const { body } of unread) await body?.cancel()
  })

  test('wait for their turn, which ends with the answer', async () => {
    const [one] = (await create({ key: 'ONE', value: '1' })).body
    await fill(one, 2 * MIB)
    const readLittle = async () =>
      expect((await client.get(`/v1/environments/${environmentId}`)).status).toBe(200)
    const read = () => secretsOf(client, environmentId)('GET')
    expect((await waitsForTurn(ctx, read, readLittle)).status).toBe(200)
    const endAgain = await takeAllTurns(ctx)
    endAgain()
  })

  test('keep nobody from reading while they wait', async () => {
    for (const path of ['/a', '/b']) {
      const secrets = Array.from({ length: 7 }, (_, at) => ({ ...large(`KEY_${at}`), path }))
      expect((await create(...secrets)).status).toBe(200)
    }
    const apps = [{ id: shop.id, environments: [environmentId] }]
    const readers = await Promise.all([1, 2].map(() => member(ctx, 'developer')))
    for (const { id } of readers) await client.put(`/v1/members/${id}/access`, { apps })
    const endTurns = await takeAllTurns(ctx)
    const waiting = readers.flatMap(({ token }) => {
      const reader = api(ctx).as(token)
      return Array.from({ length: 5 }, () => reader.get(place))
    })
    const first = Promise.race(waiting).then(() => 'answered')
    expect(await Promise.race([first, Bun.sleep(500).then(() => 'all wait')])).toBe('all wait')
    const small = await Promise.race([client.get(`/v1/environments/${environmentId}`), first])
    expect(small).toMatchObject({ status: 200 })
    const one = await Promise.race([client.get(`${place}&key=KEY_1&path=/b`), first])
    expect(one).toMatchObject({ status: 200, body: [{ key: 'KEY_1', path: '/b' }] })
    expect((await secretsOf(client, 'no id')('GET')).status).toBe(404)
    endTurns()
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(200)
  })

  test('with many keys wait for the same turns', async () => {
    const names = Array.from({ length: 1700 }, (_, n) => `E${n}`)
    const { environments } = await appWith(ctx, 'Many keys', names)
    const { id, token } = await member(ctx, 'developer')
    await grant(ctx, id, environments)
    const reader = api(ctx).as(token)
    for (const path of ['/v1/me/keys', '/service/secrets/tokens/']) {
      const readFew = async () => expect((await client.get(path)).status).toBe(200)
      expect((await waitsForTurn(ctx, () => reader.get(path), readFew)).status).toBe(200)
    }
  })

  test('of secrets in clear wait for the same turns where many texts have ephemeral keys of their own', async () => {
    const seal = await sealerFor(environmentId)
    const sealed = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        ...sealedSecret(`KEY_${n} of ${count}`),
        key: seal(`KEY_${n}`),
        value: seal('v'),
        comment: seal(''),
        path: `/of-${count}`,
      }))
    for (const count of [50, 400]) {
      expect((await secretsOf(client, environmentId)('POST', sealed(count))).status).toBe(200)
    }
    const readFew = async () => expect((await client.get(`${place}&path=/of-50`)).body).toHaveLength(50)
    expect((await waitsForTurn(ctx, () => client.get(place), readFew)).body).toHaveLength(450)
  })

  test('wait for the same turns where references lead to many such texts step by step', async () => {
    const names = Array.from({ length: 400 }, (_, n) => n)
    const seal = await sealerFor(shop.environments[0]?.id ?? '')
    const sealedAlone: { id: string; value: string }[] = []
    const steps = [(n: number) => `\${B_${n}}`, (n: number) => `\${C_${n}}`, () => 'v']
    for (const [step, referring] of steps.entries()) {
      const secrets = names.map((n) => ({ key: `${'ABC'[step]}_${n}`, value: referring(n) }))
      const { body } = await client.post(`/v1/secrets/?app_id=${shop.id}&env=development`, { secrets })
      for (const { id, value } of body) sealedAlone.push({ id, value: seal(value) })
    }
    await ctx.db`
      update secrets s set value = i.value
      from jsonb_to_recordset(${ctx.db.json(sealedAlone)}) as i (id uuid, value text) where s.id = i.id`
    await create({ key: 'ALL', value: names.map((n) => `\${development.A_${n}}`).join('') })
    expect((await waitsForTurn(ctx, () => client.get(place))).body[0].value).toBe('v'.repeat(names.length))
  })

  test('wait for the same turns where many references name much, before that is read', async () => {
    const keys = Array.from({ length: 1500 }, (_, n) => `KEY_${n}`)
    for (const part of [keys.slice(0, 750), keys.slice(750)]) {
      const secrets = part.map((key) => ({ key, value: 'v' }))
      const added = await client.post(`/v1/secrets/?app_id=${shop.id}&env=development`, { secrets })
      expect(added.status).toBe(200)
    }
    await create({ key: 'ALL', value: keys.map((key) => `\${development.${key}}`).join('') })
    const statements = await statementsOf(ctx, async () => {
      expect((await waitsForTurn(ctx, () => client.get(place))).body[0].value).toBe('v'.repeat(1500))
    })
    expect(statements.filter((text) => text.includes('n.key_digest'))).toHaveLength(1)
  })

  test('wait for the same turns where many references are followed', async () => {
    await create(...['A', 'B', 'C'].map((key) => ({ key, value: `\${X}`.repeat(15_000) })))
    expect(await waitsForTurn(ctx, () => client.get(place))).toMatchObject({ status: 200 })
  })

  test('lists of apps with long descriptions wait for the same turns', async () => {
    const { environments } = await appWith(ctx, 'Long description', ['One'])
    const { id, token } = await member(ctx, 'developer')
    await grant(ctx, id, environments)
    await ctx.db`update apps set description = repeat('x', ${MIB}) where name = 'Long description'`
    const reader = api(ctx).as(token)
    expect((await waitsForTurn(ctx, () => reader.get('/v1/apps'))).body.data).toMatchObject([
      { name: 'Long description' },
    ])
    await ctx.db`update apps set description = null where name = 'Long description'`
  })

  test('versions with their texts wait for the same turns; without, no text is read and nothing waits', async () => {
    const [{ id }] = (await create({ key: 'ONE', value: '1' })).body
    await ctx.db`update secret_versions set comment = repeat('x', ${2 * MIB}) where secret_id = ${id}`
    const endTurns = await takeAllTurns(ctx)
    const statements = await statementsOf(ctx, async () => {
      expect((await client.get(`/v1/secrets/${id}/versions`)).body).toMatchObject([{ id, version: 1 }])
    })
    const texts = /\bv\.(key|key_digest|value|comment)\b/
    const ofVersions = statements.filter((text) => /from secret_versions v\b/.test(text))
    expect(ofVersions.map((text) => texts.test(text))).toEqual([false])
    const reading = client.get(`/v1/secrets/${id}/versions?values=true`)
    expect(await Promise.race([reading.then(() => 'read'), Bun.sleep(300).then(() => 'waits')])).toBe('waits')
    endTurns()
    expect((await reading).body).toMatchObject([{ comment: 'x'.repeat(2 * MIB) }])
  })

  test('are given up when it takes too long, and take no turn later', async () => {
    const [one] = (await create({ key: 'ONE', value: '1' })).body
    await fill(one, 2 * MIB)
    const endTurns = await takeAllTurns(ctx)
    const late = await secretsOf(client, environmentId)('GET')
    expect(late).toMatchObject({
      status: 503,
      body: { error: 'Too many large answers are being made. Try again in a second.' },
    })
    endTurns()
    expect((await secretsOf(client, environmentId)('GET')).status).toBe(200)
  }, 60_000)

  test('that are given up keep their turn until the work for them has ended', async () => {
    const [one] = (await create({ key: 'ONE', value: '1' })).body
    await fill(one, 2 * MIB)
    const deadlines = { ...ctx.db.deadlines, statementMilliseconds: 2000 }
    const db = new Proxy(ctx.db, {
      get: (target, key) => (key === 'deadlines' ? deadlines : Reflect.get(target, key, target)),
    })
    const hasTurn = () => !ctx.limitLargeReads.isFree(ada.id)
    const endTurns = await takeAllTurns(ctx)
    const waits = nextToWait(ctx)
    const reading = secretsOf(api({ ...ctx, db }).as(ada.token), environmentId)('GET')
    await waits
    const readers: (() => void)[] = []
    const sharer = inAnotherShare(ada.id, LARGE_READS_OF)
    while (ctx.limitReads.isFree(sharer)) readers.push(await ctx.limitReads.enter(sharer))
    endTurns()
    expect((await reading).status).toBe(503)
    expect(hasTurn()).toBe(true)
    for (const end of readers) end()
    await eventually('the turn has ended', () => !hasTurn())
  })

  test('changes that begin with reading much wait for the same turns, and changes of little do not', async () => {
    const keys = Array.from({ length: 15 }, (_, at) => `KEY_${at}`)
    const stored = []
    for (const part of [keys.slice(0, 8), keys.slice(8)]) {
      stored.push(
        ...(await create(...part.map((key) => ({ key, value: 'x'.repeat(65_000), comment: 'c' })))).body,
      )
    }
    await create({ key: 'SMALL', value: '1', path: '/small' })
    const file = (path: string) =>
      client.post(`/v1/secrets/import?app_id=${shop.id}&env=production`, { content: 'KEY_1=new', path })
    const update = (secrets: { id: string }[]) =>
      client.put(place, { secrets: secrets.map(({ id }) => ({ id, tags: ['new'] })) })

    const endTurns = await takeAllTurns(ctx)
    const waiting = [file('/'), update(stored)]
    expect((await file('/small')).status).toBe(200)
    expect((await update(stored.slice(0, 2))).status).toBe(200)
    const first = Promise.race(waiting).then(() => 'answered')
    expect(await Promise.race([first, Bun.sleep(300).then(() => 'all wait')])).toBe('all wait')
    endTurns()
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200])
    const endAgain = await takeAllTurns(ctx)
    endAgain()
  })

  test('whoever changes much, and takes long to plan it, leaves one of the turns to the others', async () => {
    const [one] = (await create({ key: 'ONE', value: '1' })).body
    await fill(one, 2 * MIB)
    const [row] = await ctx.db`select public_key from environments where id = ${environmentId}`
    const planSlowly = () => Bun.sleep(600)
    const at = { environmentId, publicKey: row?.public_key }
    await changePlanned(ctx, ownerActor(ada), at, {}, planSlowly, async () => {}, { isDryRun: true })
    ctx.limitLargeReads.charge('grace', 1000)
    const endTurn = await ctx.limitLargeReads.enter('grace')
    expect([ada.id, 'alan'].map(ctx.limitLargeReads.isFree)).toEqual([false, true])
    endTurn()
  })
})

test('a member can have 20,000 overrides, in all environments together, and however many are set at once', async () => {
  const [one] = (await create({ key: 'ONE', value: '1' })).body
  const elsewhere = `/v1/secrets/?app_id=${shop.id}&env=development`
  const [two] = (await client.post(elsewhere, { secrets: [{ key: 'TWO', value: '2' }] })).body
  await ctx.db`delete from secret_overrides`
  await ctx.db.begin(async (tx) => {
    await tx`
      create temporary table filling on commit drop as
      select gen_random_uuid() as id, n from generate_series(1, 19999) n`
    await tx`
      insert into secrets
      select (jsonb_populate_record(s, jsonb_build_object('id', f.id, 'path', '/' || f.n))).*
      from secrets s, filling f where s.id = ${one.id}`
    await tx`
      insert into secret_overrides (secret_id, principal_id, organisation_id, environment_id, id, value, is_active,
        created_at, updated_at)
      select f.id, ${ada.id}, ${ada.organisationId}, ${environmentId}, gen_random_uuid(), 'x', true,
        ${ctx.clock.now()}, ${ctx.clock.now()}
      from filling f`
  })
  const set = ({ id }: { id: string }) => client.put(`/v1/secrets/${id}/override`, { plain_value: 'mine' })
  const both = await Promise.all([set(one), set(two)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 403])
  const [kept, refusedOne] = both[0].status === 200 ? [one, two] : [two, one]
  expect((await set(refusedOne)).body.error).toBe('A member can have at most 20,000 overrides. Remove some.')
  expect((await client.delete(`/v1/secrets/${kept.id}/override`)).status).toBe(200)
  expect((await set(refusedOne)).status).toBe(200)
})

test('an environment can have 100,000 overrides of all members, and however many set theirs at once', async () => {
  const mel = await member(ctx, 'developer')
  const apps = [{ id: shop.id, environments: [environmentId] }]
  expect((await client.put(`/v1/members/${mel.id}/access`, { apps })).status).toBe(200)
  const [one] = (await create({ key: 'ONE', value: '1' })).body
  await ctx.db.begin(async (tx) => {
    await tx`delete from secret_overrides`
    // Of members and secrets that there are none of.
    await tx`set local session_replication_role = replica`
    await tx`
      insert into secret_overrides (secret_id, principal_id, organisation_id, environment_id, id, value, is_active,
        created_at, updated_at)
      select gen_random_uuid(), gen_random_uuid(), ${ada.organisationId}, ${environmentId}, gen_random_uuid(), 'x', true,
        ${ctx.clock.now()}, ${ctx.clock.now()}
      from generate_series(1, 99999)`
  })
  const path = `/v1/secrets/${one.id}/override`
  const others = [client, api(ctx).as(mel.token)]
  const set = (one: Client, value: string) => one.put(path, { plain_value: value })
  const answers = await Promise.all(others.map((one) => set(one, 'mine')))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
  const [first, second] = answers[0]?.status === 200 ? others : others.toReversed()
  expect((await set(second as Client, 'mine')).body.error).toBe(
    'An environment can have at most 100,000 overrides of all members together.',
  )
  expect((await set(first as Client, 'another')).status).toBe(200)
  expect((await (first as Client).delete(path)).status).toBe(200)
  expect((await set(second as Client, 'mine')).status).toBe(200)
})
