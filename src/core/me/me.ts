import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { type Actor, type Caller, isActor } from '../actor.ts'
import { PrincipalType } from '../contract/references.ts'
import { unauthenticated } from '../errors.ts'
import { isPhaseBearer } from '../keys/phase-token.ts'
import { wrapForToken } from '../keys/token-wrapping.ts'
import type { Room } from '../large-reads.ts'
import { privateKeyField } from '../principals/principals.ts'
import { present as presentRole, Role } from '../roles/role.ts'
import { Nullable } from '../schema.ts'
import { readKeyCopies } from './key-copies.ts'
import * as queries from './queries.ts'

/** The caller with its role. */
export const Me = Type.Object({
  type: PrincipalType,
  id: Type.String({ description: "The membership's id, the service account's, or else the user's." }),
  userId: Nullable(Type.String()),
  name: Type.String(),
  email: Nullable(Type.String()),
  role: Nullable(Role),
  organisation: Nullable(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      plan: Type.Union([Type.Literal('free'), Type.Literal('pro'), Type.Literal('enterprise')]),
    }),
  ),
})
export type Me = Static<typeof Me>

/** The caller's keys: its copies of environment keys, and the private key that unwraps them. */
export const MyKeys = Type.Object({
  identityKey: Type.String({ description: 'Ed25519 public key, hex.' }),
  wrappedPrivateKey: Nullable(
    Type.String({
      description:
        'The Ed25519 private key as `kt:v1:…`, wrapped for the token of this request; null for the bearer of a token in the format `phase`, which alone is to open nothing.',
    }),
  ),
  environments: Type.Array(
    Type.Object({
      appId: Type.String(),
      environmentId: Type.String(),
      publicKey: Type.String({ description: "The environment's X25519 public key, hex." }),
      wrappedSeed: Type.String({ description: '`ph:v1:…`, for the identity key.' }),
      wrappedSalt: Type.String({ description: '`ph:v1:…`, for the identity key.' }),
    }),
  ),
})
export type MyKeys = Static<typeof MyKeys>

/** The caller. A user without a membership has neither role nor organisation; its id is then the user id. */
export async function get(ctx: Context, caller: Caller): Promise<Me> {
  const { type, userId, name, email } = caller
  if (!isActor(caller))
    return { type, id: caller.userId, userId, name, email, role: null, organisation: null }
  const current = await queries.findRoleAndOrganisation(ctx.db, caller.id)
  if (current === undefined) throw unauthenticated()
  const { id, organisation } = caller
  return {
    type,
    id,
    userId,
    name,
    email,
    role: presentRole(current),
    organisation: { ...organisation, name: current.organisation_name, plan: ctx.config.plan },
  }
}

/**
 * The caller's key copies, by the app's name and then the environment's index, and its private key, wrapped for the token
 * of the request; null for the bearer of a Phase token. 401 when the caller was removed meanwhile.
 */
export async function keys(ctx: Context, actor: Actor, room: Room): Promise<MyKeys> {
  const rows = await readKeyCopies(ctx, actor, room, () => queries.keysOf(ctx.db, actor.id))
  const [first] = rows
  if (first === undefined) throw unauthenticated()
  const { text } = actor.credential
  return {
    identityKey: first.identity_key,
    // The rest of a Phase token never travels: wrapped for the bearer, the key would be open to whoever sees that.
    wrappedPrivateKey: isPhaseBearer(text) ? null : wrapForToken(text, privateKeyOf(ctx, actor, first)),
    environments: rows.flatMap((row) =>
      row.environment_id === null
        ? []
        : {
            appId: row.app_id,
            environmentId: row.environment_id,
            publicKey: row.public_key,
            wrappedSeed: row.wrapped_seed,
            wrappedSalt: row.wrapped_salt,
          },
    ),
  }
}

const privateKeyOf = (ctx: Context, { id }: Actor, row: { wrapped_private_key: string }): string =>
  ctx.keys.unwrap('identity-key', row.wrapped_private_key, privateKeyField(id))
