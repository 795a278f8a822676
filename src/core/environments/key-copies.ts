import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { prepareRecipient, type Recipient, wrapForRecipient } from '../keys/wrapping.ts'
import type { Row } from '../tables.ts'
import * as queries from './queries.ts'

/** An environment's seed and salt, wrapped for the server. */
export type ServerWrappedEnvironment = Row<'environments', 'id' | 'app_id' | 'wrapped_seed' | 'wrapped_salt'>

/** A principal that gets key copies: the identity key is Ed25519, 64 hex characters. */
export type KeyCopyPrincipal = Row<'principals', 'id' | 'identity_key'>

/** Wraps between two yields to the event loop: about 6 ms. */
const WRAPS_BETWEEN_YIELDS = 50

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
  const recipients = principals.map(({ id, identity_key }) => ({
    id,
    recipient: prepareRecipient(identity_key),
  }))
  const copies: queries.NewKeyCopy[] = []
  for (const environment of environments) {
    const secrets = unwrapForServer(ctx, environment)
    for (const { id, recipient } of recipients) {
      copies.push({
        principal_id: id,
        app_id: environment.app_id,
        environment_id: environment.id,
        ...wrapFor(recipient, secrets),
      })
      if ((copies.length * 2) % WRAPS_BETWEEN_YIELDS === 0) await yieldToEventLoop()
    }
  }
  if (copies.length > 0) await queries.insertKeyCopies(tx, organisationId, copies, ctx.clock.now())
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

const wrapFor = (recipient: Recipient, secrets: { seed: string; salt: string }) => ({
  wrapped_seed: wrapForRecipient(secrets.seed, recipient),
  wrapped_salt: wrapForRecipient(secrets.salt, recipient),
})

const environmentField = (rowId: string, field: 'wrapped_seed' | 'wrapped_salt') => ({
  table: 'environments',
  rowId,
  field,
})

const yieldToEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve))
