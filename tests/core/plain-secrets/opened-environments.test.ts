import { expect, test } from 'bun:test'
import type { Context } from '../../../src/context.ts'
import type { Actor } from '../../../src/core/actor.ts'
import { openEnvironments } from '../../../src/core/plain-secrets/opened-environments.ts'
import type { OpenedEnvironment } from '../../../src/core/plain-secrets/opening.ts'
import { countTurns } from '../../support/event-loop.ts'

/** Finds what thousands of references name, in a database that has none of it. */
test('the event loop has turns while names of many environments that take long to compare are looked up', async () => {
  const ctx = { db: Object.assign(async () => [], { json: () => null }) } as unknown as Context
  const own = { row: { id: 'own', app_id: 'app' } } as unknown as OpenedEnvironment
  const app = 'a\u0345\u0360\u035c\u0315\u031b\u0301\u0323\u0316'.repeat(28)
  const wanted = Array.from({ length: 3000 }, (_, n) => ({
    environmentId: 'own',
    reference: { app: `${app}${n}`, environment: 'prod', path: '/', key: 'K' },
  }))
  using counter = countTurns()
  using environments = openEnvironments(ctx, { id: 'ada', organisation: { id: 'mine' } } as Actor, own)
  await environments.find(wanted)
  expect(counter.turns).toBeGreaterThan(5)
})
