import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import { addKeyCopies } from '../environments/key-copies.ts'
import { notFound } from '../errors.ts'
import { isId } from '../id.ts'
import { enforce } from '../policy.ts'
import { changeOrganisation, pipelined } from '../transactions.ts'
import {
  accessValues,
  grantChanges,
  type PrincipalRef,
  type RequestedGrant,
  requestedGrants,
  type SetAccess,
} from './grant.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'

type Environment = Awaited<ReturnType<typeof queries.findRequestedEnvironments>>[number]

/**
 * Sets the entire access of a member or service account, declaratively: what is missing is revoked, what is new is
 * granted and its keys wrapped, what stays is not touched. Everything is checked before anything is written, and the
 * number of statements is the same however many environments there are. `read` gives the answer, in the transaction.
 *
 * 400 for a repeated id, 404 for an unknown subject, app or environment, 403 for a subject with global access and for
 * an environment that the caller can't access itself.
 */
export async function set<View>(
  ctx: Context,
  caller: Actor,
  subject: PrincipalRef,
  input: SetAccess,
  read: (tx: Transaction, actor: Actor) => Promise<View>,
): Promise<View> {
  const wishes = requestedGrants(input)
  if (!isId(subject.id)) throw principalNotFound(subject)
  return changeOrganisation(ctx, caller, async (tx, actor) => {
    const organisationId = actor.organisation.id
    const [grantee, apps, found, before] = await pipelined(
      queries.findPrincipal(tx, organisationId, subject),
      queries.existingApps(tx, organisationId, ids(wishes, 'appId')),
      queries.findRequestedEnvironments(
        tx,
        organisationId,
        ids(wishes, 'environmentId'),
        actor.id,
        subject.id,
      ),
      queries.findGrants(tx, subject.id),
    )
    if (grantee === undefined) throw principalNotFound(subject)
    enforce(policy.setAccess, { kind: grantee.role_kind })
    const environments = new Map(found.map((environment) => [environment.id, environment]))
    requireExisting(wishes, input, new Set(apps.map((app) => app.id)), environments)

    const { added, revoked } = grantChanges(new Set(before.map((grant) => grant.environment_id)), wishes)
    const requested = added.map(({ environmentId }) => ({
      environmentId,
      isOwn: environments.get(environmentId)?.callers === true,
    }))
    enforce(policy.grant, { actor, environments: requested })
    if (added.length === 0 && revoked.length === 0) return read(tx, actor)

    const withoutCopy = added.flatMap(({ environmentId }) => environments.get(environmentId) ?? [])
    await pipelined(
      queries.deleteGrants(tx, grantee.id, revoked),
      queries.insertGrants(tx, organisationId, grantee.id, added, ctx.clock.now()),
      queries.touch(tx, subject.type, grantee.id, ctx.clock.now()),
      record(ctx, tx, actor, {
        eventType: subject.type === 'member' ? 'member.access_changed' : 'service_account.access_changed',
        resourceId: grantee.id,
        resourceMetadata: { name: grantee.name },
        ...accessValues(added, revoked),
        description: `Access changed: ${added.length} granted, ${revoked.length} revoked.`,
      }),
      addKeyCopies(
        ctx,
        tx,
        organisationId,
        [grantee],
        withoutCopy.filter(({ copied }) => !copied),
      ),
    )
    return read(tx, actor)
  })
}

/** Grants environments that have just been made to whoever made them; the copies of their keys are for the caller. */
export async function grantToCreator(
  tx: Transaction,
  actor: Actor,
  made: readonly RequestedGrant[],
  at: Date,
): Promise<void> {
  await queries.insertGrants(tx, actor.organisation.id, actor.id, made, at)
}

const principalNotFound = ({ type }: PrincipalRef) =>
  notFound(type === 'member' ? 'Member' : 'Service account')

/** What has no form of an id names nothing: it is left out here and reported as not found. */
const ids = (wishes: readonly RequestedGrant[], field: keyof RequestedGrant): string[] => [
  ...new Set(wishes.map((wish) => wish[field]).filter(isId)),
]

function requireExisting(
  wishes: readonly RequestedGrant[],
  input: SetAccess,
  apps: ReadonlySet<string>,
  environments: ReadonlyMap<string, Environment>,
): void {
  for (const { id } of input.apps) {
    if (!apps.has(id.toLowerCase())) throw notFound('App', id)
  }
  for (const { appId, environmentId } of wishes) {
    if (environments.get(environmentId)?.app_id !== appId) throw notFound('Environment', environmentId)
  }
}
