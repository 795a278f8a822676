import { beforeEach, expect, test } from 'bun:test'
import { renderToStaticMarkup } from 'react-dom/server'
import { applyDrafts } from '../../../src/frontend/app/secrets/applying.ts'
import { ChangeSentence } from '../../../src/frontend/app/secrets/change-words.tsx'
import {
  type Change,
  type Draft,
  type Drafts,
  NO_DRAFTS,
  partsLeft,
  reduceDrafts,
} from '../../../src/frontend/app/secrets/drafts.ts'
import type { Secret } from '../../../src/frontend/app/secrets/secret.ts'
import type { Store } from '../../../src/frontend/app/secrets/store.ts'

const staging = { id: 'staging', name: 'Staging' }
const at = { environmentId: staging.id, row: '/ KEY' }

let stored: Secret[]
let refused: Partial<Record<keyof Store, string>>
beforeEach(() => {
  stored = [
    { id: 's1', key: 'KEY', path: '/', value: 'old', type: 'secret', version: 1, override: null } as Secret,
  ]
  refused = {}
})

const ownValue = (value: string) => ({ value, isActive: true }) as Secret['override']

const refuse = (call: keyof Store) => {
  if (refused[call] !== undefined) throw new Error(refused[call])
}
const store: Pick<Store, 'list' | 'create' | 'update' | 'override'> = {
  list: async () => stored,
  create: async () => refuse('create'),
  update: async (_, changes) => {
    refuse('update')
    stored = stored.map(
      (one) => ({ ...one, ...changes.find(({ id }) => id === one.id), version: 2 }) as Secret,
    )
  },
  override: async (_, id, value) => {
    refuse('override')
    const override = value === null ? null : ownValue(value)
    stored = stored.map((one) => (one.id === id ? { ...one, override } : one))
  },
}

const draftsOf = (change: Change, base: Secret | null = stored[0] ?? null): Drafts =>
  reduceDrafts(NO_DRAFTS, { act: 'change', ...at, base, change })

/** What was applied, what was refused, and what the page still holds. */
async function apply(drafts: Drafts) {
  const { applied, refusals } = await applyDrafts(store as Store, drafts, [staging])
  const left = reduceDrafts(drafts, {
    act: 'forget',
    drafts: applied,
    secrets: new Map([['staging', stored]]),
  })
  return {
    applied: applied.map(({ change }) => change),
    refusals: refusals.map(({ sentence }) => sentence),
    left: [...left.values()].map(({ row, base, change }: Draft) => ({ row, version: base?.version, change })),
  }
}

test('a refused own value is kept, without the change of the secret that was applied', async () => {
  refused = { override: 'You have too many own values.' }
  expect(await apply(draftsOf({ key: 'NEW', value: 'new', own: 'mine' }))).toEqual({
    applied: [{ key: 'NEW', value: 'new' }],
    refusals: ['You have too many own values.'],
    left: [{ row: '/ NEW', version: 2, change: { own: 'mine' } }],
  })
})

test('a refused change of the secret is kept, without the own value that was applied', async () => {
  refused = { update: 'The value is too long.' }
  const drafts = draftsOf({ value: 'new', own: 'mine' })
  expect(await apply(drafts)).toEqual({
    applied: [{ own: 'mine' }],
    refusals: ['The value is too long.'],
    left: [{ row: '/ KEY', version: 1, change: { value: 'new' } }],
  })
})

test('a change that was refused is not put upon what somebody else stored meanwhile', async () => {
  const drafts = draftsOf({ value: 'new', own: 'mine' })
  const theirs = stored.map((one) => ({ ...one, value: 'theirs', version: 2 }) as Secret)
  const [draft] = drafts.values()
  const applied = [{ ...draft, change: { own: 'mine' } } as Draft]
  const left = reduceDrafts(drafts, {
    act: 'forget',
    drafts: applied,
    secrets: new Map([['staging', theirs]]),
  })
  expect([...left.values()].map(({ base }) => base?.version)).toEqual([1])
})

test('a draft whose two parts were applied is gone, and nothing of it is left to ask about before leaving', async () => {
  const drafts = draftsOf({ value: 'new', own: 'mine' })
  const { applied } = await applyDrafts(store as Store, drafts, [staging])
  expect([...drafts.values()].flatMap((draft) => partsLeft(draft, applied))).toEqual([])
  const secrets = new Map([['staging', stored]])
  expect(reduceDrafts(drafts, { act: 'forget', drafts: applied, secrets }).size).toBe(0)
})

test('a refused own value is kept beside its refusal, also where the same is stored', async () => {
  refused = { override: 'Keyward can’t be reached.' }
  const drafts = draftsOf({ value: 'new', own: 'mine' })
  stored = stored.map((one) => ({ ...one, override: ownValue('mine') }))
  expect(await apply(drafts)).toMatchObject({
    refusals: ['Keyward can’t be reached.'],
    left: [{ change: { own: 'mine' } }],
  })
})

test('an own value of a secret that somebody else deleted is refused, and adds no secret for everybody', async () => {
  expect(await apply(draftsOf({ own: 'mine' }, null))).toEqual({
    applied: [],
    refusals: ['KEY was deleted by someone else: your own value can be kept once it is stored again.'],
    left: [{ row: '/ KEY', version: undefined, change: { own: 'mine' } }],
  })
})

test('the changes are said with the own value beside the new value of the secret', () => {
  const drafts = draftsOf({ value: 'new', own: 'mine' })
  const sentence = renderToStaticMarkup(<ChangeSentence drafts={drafts} environments={[staging]} />)
  expect(sentence.replace(/<[^>]*>/g, '').trim()).toBe(
    'In Staging, KEY gets a new value and KEY gets another value for you alone.',
  )
})
