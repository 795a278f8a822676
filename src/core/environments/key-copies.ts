import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { prepareRecipient, type Recipient, wrapForRecipient } from '../keys/wrapping.ts'

/** An environment's seed and salt, as the server keeps them for itself. */
export type ServerWrappedEnvironment = Readonly<{
  id: string
  app_id: string
  wrapped_seed: string
  wrapped_salt: string
}>

/** Whoever gets a copy: the identity key is Ed25519, 64 hex characters. */
export type KeyCopyPrincipal = Readonly<{ id: string; identity_key: string }>

type Copy = {
  principal_id: string
  app_id: string
  environment_id: string
  wrapped_seed: string
  wrapped_salt: string
}

/** Wraps this often before other requests get their turn: about 6 ms. */
const WRAPS_BETWEEN_YIELDS = 50

/**
 * Gives each holder a copy of each environment's keys, wrapped for its identity key: one statement, however many.
 * Pairs that have a copy already must not be among them.
 */
export async function addKeyCopies(
  ctx: Context,
  tx: Transaction,
  organisationId: string,
  holders: readonly KeyCopyPrincipal[],
  environments: readonly ServerWrappedEnvironment[],
): Promise<void> {
  // The statements that go with it are sent first: the database works on them while the keys are wrapped.
  await yieldToEventLoop()
  const recipients = holders.map(({ id, identity_key }) => ({
    id,
    recipient: prepareRecipient(identity_key),
  }))
  const copies: Copy[] = []
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
  if (copies.length > 0) await insertCopies(ctx, tx, organisationId, copies)
}

/** Opens the server's own copy of an environment's seed and salt (hex text). */
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

/** Seals a new environment's seed and salt for the server itself. */
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

const insertCopies = (ctx: Context, tx: Transaction, organisationId: string, copies: readonly Copy[]) =>
  tx`
    insert into environment_keys
      (organisation_id, principal_id, app_id, environment_id, wrapped_seed, wrapped_salt, created_at)
    select ${organisationId}, principal_id, app_id, environment_id, wrapped_seed, wrapped_salt, ${ctx.clock.now()}
    from unnest(
      ${copies.map((copy) => copy.principal_id)}::uuid[], ${copies.map((copy) => copy.app_id)}::uuid[],
      ${copies.map((copy) => copy.environment_id)}::uuid[], ${copies.map((copy) => copy.wrapped_seed)}::text[],
      ${copies.map((copy) => copy.wrapped_salt)}::text[]
    ) as copy (principal_id, app_id, environment_id, wrapped_seed, wrapped_salt)`
