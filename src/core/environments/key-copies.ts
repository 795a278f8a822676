import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { type Encapsulation, encapsulate, prepareRecipient } from '../keys/wrapping.ts'
import { loadFastestAead } from '../keys/xchacha20poly1305.ts'
import type { Row } from '../tables.ts'
import { yieldToEventLoop, yieldWhenDue } from '../yielding.ts'
import * as queries from './queries.ts'

/** An environment's seed and salt, wrapped for the server. */
export type ServerWrappedEnvironment = Row<'environments', 'id' | 'app_id' | 'wrapped_seed' | 'wrapped_salt'>

/** A principal that gets key copies: the identity key is Ed25519, 64 hex characters. */
export type KeyCopyPrincipal = Row<'principals', 'id' | 'identity_key'>

/**
 * Gives each principal a copy of each environment's keys, wrapped for its identity key, in one statement. No principal
 * may have a copy of one of the environments already.
 */
export async function addKeyCopies(
  ctx: Context,
  tx: Transaction,
  organisationId: string,
  principals: readonly KeyCopyPrincipal[],
  environments: readonly ServerWrappedEnvironment[],
): Promise<void> {
  // Yields first, so that statements queued with this call are sent, and run while keys are wrapped.
  await yieldToEventLoop()
  if (principals.length === 0 || environments.length === 0) return
  await queries.insertKeyCopies(
    tx,
    organisationId,
    await wrapCopies(ctx, principals, environments),
    ctx.clock.now(),
  )
}

/** A copy of each environment's keys for each principal, wrapped for its identity key. */
export async function wrapCopies(
  ctx: Context,
  principals: readonly KeyCopyPrincipal[],
  environments: readonly ServerWrappedEnvironment[],
): Promise<queries.NewKeyCopy[]> {
  await loadFastestAead()
  const pause = yieldWhenDue()
  const opened: OpenedEnvironment[] = []
  for (const environment of environments) {
    opened.push({ ...environment, ...unwrapForServer(ctx, environment) })
    await pause()
  }
  const copies: queries.NewKeyCopy[] = []
  for (const { id, identity_key } of principals) {
    using encapsulation = encapsulate(prepareRecipient(identity_key))
    for (const environment of opened) {
      copies.push({ principal_id: id, ...copyOf(environment, encapsulation) })
      await pause()
    }
  }
  return copies
}

/** The seed and salt of an environment (hex text), from what the server wrapped for itself. */
export const unwrapForServer = (ctx: Context, environment: Omit<ServerWrappedEnvironment, 'app_id'>) => ({
  seed: ctx.keys.unwrap(
    'environment-key',
    environment.wrapped_seed,
    environmentField(environment.id, 'wrapped_seed'),
  ),
  salt: ctx.keys.unwrap(
    'environment-key',
    environment.wrapped_salt,
    environmentField(environment.id, 'wrapped_salt'),
  ),
})

/** Wraps a new environment's seed and salt for the server itself. */
export const wrapForServer = (ctx: Context, id: string, secrets: { seed: string; salt: string }) => ({
  wrapped_seed: ctx.keys.wrap('environment-key', secrets.seed, environmentField(id, 'wrapped_seed')),
  wrapped_salt: ctx.keys.wrap('environment-key', secrets.salt, environmentField(id, 'wrapped_salt')),
})

type OpenedEnvironment = ServerWrappedEnvironment & Readonly<{ seed: string; salt: string }>

const copyOf = ({ id, app_id, seed, salt }: OpenedEnvironment, { wrap }: Encapsulation) => ({
  app_id,
  environment_id: id,
  wrapped_seed: wrap(seed),
  wrapped_salt: wrap(salt),
})

/** Where an environment's seed or salt is stored, as the server's keys bind it. */
export const environmentField = (rowId: string, field: 'wrapped_seed' | 'wrapped_salt') => ({
  table: 'environments',
  rowId,
  field,
})
