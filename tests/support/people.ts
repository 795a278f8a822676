import { randomUUID } from 'node:crypto'
import type { Actor } from '../../src/core/actor.ts'
import { newPhaseToken } from '../../src/core/keys/phase-token.ts'
import { addMember } from '../../src/core/members/addition.ts'
import { createOrganisation } from '../../src/core/organisations/creation.ts'
import { permissionsOf, type RoleKind } from '../../src/core/permissions.ts'
import { changeRole, createPrincipal, privateKeyField } from '../../src/core/principals/principals.ts'
import { hashToken, newToken } from '../../src/core/tokens/token-text.ts'
import type { TestContext } from './context.ts'

/** Someone who can call the API. */
export type Person = { id: string; userId: string; token: string }
export type Account = { id: string; token: string }

/** Founds the organisation; its Owner calls with `token`. */
export async function owner(
  ctx: TestContext,
  name = 'My organisation',
): Promise<Person & { organisationId: string }> {
  const userId = await user(ctx)
  const { organisationId, memberId } = await ctx.db.begin((tx) => createOrganisation(ctx, tx, userId, name))
  return { id: memberId, userId, organisationId, token: await token(ctx, memberId, 'pat') }
}

/** The Owner as whom core's functions are called. */
export const ownerActor = (person: Person & { organisationId: string }): Actor => ({
  type: 'user',
  id: person.id,
  responsibleId: person.id,
  branchId: person.id,
  userId: person.userId,
  name: 'Ada',
  email: null,
  organisation: { id: person.organisationId },
  role: { id: 'r', kind: 'owner', name: 'Owner', permissions: permissionsOf('owner', null) },
  credential: { kind: 'token', id: 't', text: person.token },
  source: { ipAddress: null, userAgent: null, requestId: 'x' },
})

/** Adds a member with a default role by its kind, or with a custom role by its id. */
export async function member(ctx: TestContext, role: RoleKind | { id: string }): Promise<Person> {
  const userId = await user(ctx)
  const held = await roleOf(ctx, role)
  const organisationId = held.organisation_id
  const id = await ctx.db.begin(async (tx) => {
    const id = await addMember(ctx, tx, { organisationId, userId, role: held })
    // Nobody is invited to a role with global access: promotion is what gives the key copies.
    await changeRole(ctx, tx, { id, organisationId }, 'developer', held)
    return id
  })
  return { id, userId, token: await token(ctx, id, 'pat') }
}

/** Adds Developers without tokens, for lists that are long. */
export async function manyMembers(ctx: TestContext, count: number): Promise<void> {
  const role = await roleOf(ctx, 'developer')
  const now = ctx.clock.now()
  const users = Array.from({ length: count }, () => randomUUID()).map((id) => ({
    id,
    email: `${id}@example.org`,
    email_key: `${id}@example.org`,
    created_at: now,
    updated_at: now,
  }))
  await ctx.db`insert into users ${ctx.db(users)}`
  await ctx.db.begin(async (tx) => {
    for (const { id } of users)
      await addMember(ctx, tx, { organisationId: role.organisation_id, userId: id, role })
  })
}

/** Adds a service account with a default role by its kind, or with a custom role by its id. */
export async function serviceAccount(ctx: TestContext, role: RoleKind | { id: string }): Promise<Account> {
  const held = await roleOf(ctx, role)
  const id = await ctx.db.begin(async (tx) => {
    const id = await createPrincipal(ctx, tx, {
      organisationId: held.organisation_id,
      type: 'service_account',
      role: held,
    })
    const now = ctx.clock.now()
    await tx`insert into service_accounts ${tx({ id, organisation_id: held.organisation_id, name: 'Robot', created_at: now, updated_at: now })}`
    return id
  })
  return { id, token: await token(ctx, id, 'sat') }
}

/** A user account without a membership; gives its id. */
export async function user(ctx: TestContext, email = `${randomUUID()}@example.org`): Promise<string> {
  const id = randomUUID()
  const now = ctx.clock.now()
  await ctx.db`insert into users ${ctx.db({ id, email, email_key: email, full_name: 'Ada Example', email_verified_at: now, created_at: now, updated_at: now })}`
  return id
}

/** A new access token of a principal. */
export async function token(ctx: TestContext, principalId: string, kind: 'pat' | 'sat'): Promise<string> {
  const bearer = newToken(kind)
  await ctx.db`
    insert into tokens (id, organisation_id, principal_id, name, hash, created_at)
    select ${randomUUID()}, organisation_id, id, 'test', ${hashToken(bearer)}, ${ctx.clock.now()}
    from principals where id = ${principalId}`
  return bearer
}

/** A new token of a principal in Phase's format: its text, and the bearer in it. */
export async function phaseToken(
  ctx: TestContext,
  principalId: string,
  name = 'test',
): Promise<{ id: string; text: string; bearer: string }> {
  const [holder] = await ctx.db<{ type: string; identity_key: string; wrapped_private_key: string }[]>`
    select type, identity_key, wrapped_private_key from principals where id = ${principalId}`
  if (holder === undefined) throw new Error('no such principal')
  const privateKey = ctx.keys.unwrap('identity-key', holder.wrapped_private_key, privateKeyField(principalId))
  const kind = holder.type === 'member' ? 'user' : 'service'
  const made = newPhaseToken(kind, { publicKey: holder.identity_key, privateKey })
  const id = randomUUID()
  await ctx.db`
    insert into tokens (id, organisation_id, principal_id, name, hash, format, wrapped_key_share, created_at)
    select ${id}, organisation_id, id, ${name}, ${hashToken(made.bearer)}, 'phase', ${made.wrappedKeyShare},
      ${ctx.clock.now()}
    from principals where id = ${principalId}`
  return { id, text: made.text, bearer: made.bearer }
}

/** A sign-in session of a user; gives a bearer of it, good for 15 minutes. */
export async function session(ctx: TestContext, userId: string): Promise<string> {
  const id = randomUUID()
  const bearer = newToken('ses')
  const now = ctx.clock.now()
  const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)
  await ctx.db`insert into sessions ${ctx.db({ id, user_id: userId, cookie_hash: hashToken(newToken('cookie')), created_at: now, last_used_at: now, expires_at: later(30 * 24 * 3600) })}`
  await ctx.db`insert into session_tokens ${ctx.db({ hash: hashToken(bearer), session_id: id, expires_at: later(15 * 60) })}`
  return bearer
}

/** The organisation's role of a kind, or the role itself. */
export async function roleOf(ctx: TestContext, role: RoleKind | { id: string }) {
  const [row] = await ctx.db<{ id: string; kind: RoleKind; organisation_id: string }[]>`
    select id, kind, organisation_id from roles
    where ${typeof role === 'string' ? ctx.db`kind = ${role}` : ctx.db`id = ${role.id}`}`
  if (row === undefined) throw new Error('no such role: found the organisation first')
  return row
}
