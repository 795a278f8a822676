import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import { addKeyCopies } from '../environments/key-copies.ts'
import { notFound } from '../errors.ts'
import { type IfMatch, requireMatch } from '../etags.ts'
import { isId } from '../id.ts'
import { enforce } from '../policy.ts'
import { found } from '../rows.ts'
import { lockCopies } from '../secrets/override-locks.ts'
import { pipelined, readAndChangeOrganisation } from '../transactions.ts'
import {
  accessValues,
  grantChanges,
  PRINCIPAL_NOUNS,
  type PrincipalRef,
  type RequestedGrant,
  requestedGrants,
  type SetAccess,
} from './grant.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'

/**
 * Sets the entire access of a member or service account, declaratively: what is missing is revoked, what is new is
 * granted and its keys wrapped, what stays is not touched. Everything is checked before anything is written, and the
 * number of statements does not depend on that of environments. `read` gives the response, in the transaction.
 *
 * 400 for a repeated id, 404 for an unknown principal, app or environment, 403 for a principal with global access and
 * for an environment that the actor can't access; 412 unless `ifMatch` names the access as it is.
 */
export async function set<View>(
  ctx: Context,
  actor: Actor,
  ref: PrincipalRef,
  input: SetAccess,
  read: (tx: Transaction, actor: Actor) => Promise<View>,
  ifMatch: IfMatch = null,
): Promise<View> {
  const requested = requestedGrants(input)
  if (!isId(ref.id)) throw notFound(PRINCIPAL_NOUNS[ref.type])
  const ids = requested.map((grant) => grant.environmentId).filter(isId)
  return readAndChangeOrganisation(
    ctx,
    actor,
    (tx) => queries.findPrincipal(tx, actor.organisation.id, ref, ids, actor.id),
    async (tx, actor, row) => {
      const principal = found(row, PRINCIPAL_NOUNS[ref.type])
      const change = await allowedChange(tx, actor, principal, input, requested)
      await requireMatch(ifMatch, () => read(tx, actor))
      if (change.added.length === 0 && change.revoked.length === 0) return read(tx, actor)
      return write(ctx, tx, actor, ref.type, change, read)
    },
  )
}

/** Grants new environments to the actor that created them; the key copies are added by the use case that creates them. */
export async function grantToCreator(
  tx: Transaction,
  actor: Actor,
  added: readonly RequestedGrant[],
  at: Date,
): Promise<void> {
  await queries.insertGrants(tx, actor.organisation.id, actor.id, added, at)
}

type Change = Readonly<{
  principal: queries.GrantPrincipal
  added: readonly RequestedGrant[]
  addedEnvironments: readonly queries.RequestedEnvironment[]
  revoked: readonly string[]
}>

/** What has to be written to give the principal the requested access, once every rule allows it. */
async function allowedChange(
  tx: Transaction,
  actor: Actor,
  principal: queries.GrantPrincipal,
  input: SetAccess,
  requested: readonly RequestedGrant[],
): Promise<Change> {
  enforce(policy.setAccess, { kind: principal.role_kind })
  const environmentsById = new Map(principal.requested.map((environment) => [environment.id, environment]))
  await requireExisting(tx, actor.organisation.id, input, requested, environmentsById)

  const { added, revoked } = grantChanges(new Set(principal.granted), requested)
  const addedEnvironments = added.flatMap(({ environmentId }) => environmentsById.get(environmentId) ?? [])
  enforce(policy.grant, {
    actor,
    environments: addedEnvironments.map(({ id, actor_has_grant }) => ({
      environmentId: id,
      isOwn: actor_has_grant,
    })),
  })
  return { principal, added, addedEnvironments, revoked }
}

/** Writes the change, and reads the new state meanwhile: key copies are not part of it. */
async function write<View>(
  ctx: Context,
  tx: Transaction,
  actor: Actor,
  type: PrincipalRef['type'],
  { principal, added, addedEnvironments, revoked }: Change,
  read: (tx: Transaction, actor: Actor) => Promise<View>,
): Promise<View> {
  const organisationId = actor.organisation.id
  if (revoked.length > 0) await lockCopies(tx, principal.id, revoked)
  const withoutKeyCopy = addedEnvironments.filter((environment) => !environment.has_key_copy)
  const [, , view] = await pipelined(
    queries
      .changeGrants(tx, organisationId, { type, id: principal.id }, added, revoked, ctx.clock.now())
      .execute(),
    record(ctx, tx, actor, {
      eventType: type === 'member' ? 'member.access_changed' : 'service_account.access_changed',
      resourceId: principal.id,
      resourceMetadata: { name: principal.name },
      ...accessValues(added, revoked),
      description: `Access changed: ${added.length} granted, ${revoked.length} revoked.`,
    }),
    read(tx, actor),
    addKeyCopies(ctx, tx, organisationId, [principal], withoutKeyCopy),
  )
  return view
}

/**
 * 404 for an app or environment that does not exist; malformed ids were not looked up, and so are not found. An app that
 * is listed has an environment, so it exists if that is its own: only otherwise the apps are looked up.
 */
async function requireExisting(
  tx: Transaction,
  organisationId: string,
  input: SetAccess,
  requested: readonly RequestedGrant[],
  environments: ReadonlyMap<string, queries.RequestedEnvironment>,
): Promise<void> {
  const foreign = requested.find(
    ({ appId, environmentId }) => environments.get(environmentId)?.app_id !== appId,
  )
  if (foreign === undefined) return
  const appIds = input.apps.map(({ id }) => id).filter(isId)
  const apps = new Set((await queries.existingApps(tx, organisationId, appIds)).map(({ id }) => id))
  for (const { id } of input.apps) {
    if (!apps.has(id.toLowerCase())) throw notFound('App', id)
  }
  throw notFound('Environment', foreign.environmentId)
}
