import type { Context } from '../../../src/context.ts'
import type { Actor } from '../../../src/core/actor.ts'
import type { RequestedGrant } from '../../../src/core/grants/grant.ts'
import type { PageRange } from '../../../src/core/pagination.ts'
import { permissionsOf } from '../../../src/core/permissions.ts'
import type { Transaction } from '../../../src/platform/postgres/database.ts'
import type { TestContext } from '../../support/context.ts'
import type { LargeOrganisation } from '../../support/large-organisation.ts'

/** What the statements are about: things of a large organisation, by their ids and hashes. */
export type Things = Readonly<{
  owner: Actor
  developer: Actor
  organisation: string
  member: string
  /** The principal in the middle of those by id: after the last ones, reading all that is left is right. */
  middle: string
  user: string
  account: string
  role: string
  unusedRole: string
  /** A role that half of all hold. */
  commonRole: string
  app: string
  environment: string
  notGranted: RequestedGrant
  invite: string
  token: string
  tokenHash: Buffer
  session: string
  sessionTokenHash: Buffer
  cookieHash: Buffer
  link: string
  passkey: string
  credential: Buffer
  identity: string
  entry: string
  /** A secret of the environment, which has many, with the developer's override; and a deleted one. */
  secret: string
  override: string
  deletedSecret: string
  /** The service account that acts most. */
  automation: string
  /** An id and a hash of nothing yet. */
  new: string
  hash: Buffer
  now: Date
  later: Date
}>

/** Statements by name: each sends one, and what has to be there before. */
export type Statements = Readonly<
  Record<string, (db: Transaction, it: Things, ctx: Context) => PromiseLike<unknown>>
>

/** A list, a page of it, and a page after the first. */
export const WHOLE: PageRange = { limit: null, after: null }
export const PAGE: PageRange = { limit: 50, after: null }
export const later = (...after: string[]): PageRange => ({ limit: 50, after })

/** When a new row was created and changed. */
export const stamps = (at: Date) => ({ created_at: at, updated_at: at })

/** Some of everything in an organisation that `fillOrganisation` made. */
export async function thingsOf(
  ctx: TestContext,
  { developerId, serviceAccountId }: LargeOrganisation,
): Promise<Things> {
  const now = ctx.clock.now()
  const [found] = await ctx.db`
    select p.organisation_id as organisation, m.id as member, m.user_id as user, g.app_id as app, g.environment_id as environment,
      (select id from principals where role_kind = 'owner') as owner_id,
      (select id from principals order by id offset (select count(*) / 2 from principals) limit 1) as middle,
      (select id from roles where kind = 'custom' limit 1) as role,
      (select id from roles where kind = 'developer') as "commonRole",
      (select id from roles r where kind = 'custom' and not exists (select 1 from principals where role_id = r.id) limit 1) as "unusedRole",
      (select json_build_object('appId', e.app_id, 'environmentId', e.id) from environments e
        where not exists (select 1 from grants where environment_id = e.id and principal_id in (m.id, ${serviceAccountId})) limit 1) as "notGranted",
      (select id from invites where state = 'pending' limit 1) as invite,
      t.id as token, t.hash as "tokenHash", s.id as session, s.cookie_hash as "cookieHash",
      (select hash from session_tokens where session_id = s.id) as "sessionTokenHash",
      (select id from email_links where user_id = m.user_id) as link,
      k.id as passkey, k.credential_id as credential, (select id from sso_identities where user_id = m.user_id) as identity,
      (select id from audit_entries limit 1) as entry,
      o.secret_id as secret, o.id as override,
      (select secret_id from secret_versions where environment_id = g.environment_id and event = 'deleted' limit 1) as "deletedSecret",
      (select actor_id from audit_entries where event_type = 'environment.updated' limit 1) as automation
    from principals p
    join members m on m.id = p.id
    join grants g on g.principal_id = p.id
    join tokens t on t.principal_id = p.id
    join sessions s on s.user_id = m.user_id
    join passkeys k on k.user_id = m.user_id
    join secret_overrides o on o.principal_id = p.id and o.environment_id = g.environment_id
    where p.id = ${developerId}
    order by (select count(*) from secrets where environment_id = g.environment_id) desc limit 1`
  if (found === undefined) throw new Error('the developer lacks something')
  const actor = (id: string, kind: Actor['role']['kind']) =>
    ({
      type: 'user',
      id,
      userId: found.user,
      organisation: { id: found.organisation },
      role: { kind, permissions: permissionsOf(kind, null) },
      credential: { kind: 'token', id: found.token, text: '' },
    }) as Actor
  return {
    ...(found as unknown as Things),
    owner: actor(found.owner_id, 'owner'),
    developer: actor(developerId, 'developer'),
    account: serviceAccountId,
    new: '11111111-1111-4111-8111-111111111111',
    hash: Buffer.alloc(32, 1),
    now,
    later: new Date(now.getTime() + 60_000),
  }
}
