import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import { OrganisationReference } from '../contract/references.ts'
import { unauthenticated } from '../errors.ts'
import { isPhaseBearer } from '../keys/phase-token.ts'
import type { Room } from '../large-reads.ts'
import { Nullable, Timestamp } from '../schema.ts'
import * as queries from './client-key-queries.ts'
import { readKeyCopies } from './key-copies.ts'

const Environment = Type.Object({
  id: Type.String(),
  name: Type.String(),
  env_type: Type.String({ description: 'In capitals: `DEV`, `STAGING`, `PROD` or `CUSTOM`.' }),
  index: Type.Integer({ description: 'Position in the app, from 0.' }),
  created_at: Timestamp(),
  updated_at: Type.String({
    format: 'date-time',
    description: 'When the environment, or any secret in it, was last changed.',
  }),
})

const EnvironmentKey = Type.Object({
  id: Type.String({ description: "The environment's id: there is one copy of its key for each caller." }),
  environment: Environment,
  identity_key: Type.String({ description: "The environment's X25519 public key, hex." }),
  wrapped_seed: Type.String({ description: '`ph:v1:…`, for the identity key of the caller.' }),
  wrapped_salt: Type.String({ description: '`ph:v1:…`, for the identity key of the caller.' }),
  paths: Nullable(Type.String({ description: 'Always null: access is to whole environments.' })),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  deleted_at: Nullable(Type.String({ description: 'Always null.' })),
  user: Nullable(Type.String()),
  service_account: Nullable(Type.String()),
})

/** The caller's keys in the form that Phase's clients read. */
export const ClientKeys = Type.Object({
  wrapped_key_share: Nullable(
    Type.String({
      description:
        'The share of the caller’s X25519 key that the token lacks, wrapped for the unwrap key in its text: hex. Null unless the token has the format `phase`.',
    }),
  ),
  user_id: Type.Optional(Type.String({ description: "The membership's id; absent for a service account." })),
  account_id: Type.Optional(Type.String({ description: "The service account's id; absent for a member." })),
  offline_enabled: Type.Boolean(),
  organisation: OrganisationReference,
  apps: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      encryption: Type.Union([Type.Literal('SSE'), Type.Literal('E2E')]),
      environment_keys: Type.Array(EnvironmentKey, {
        description:
          'Shortest name first: clients take the first environment whose name contains the asked one.',
      }),
    }),
    { description: 'The apps with an environment that the caller can open, by name.' },
  ),
})
export type ClientKeys = Static<typeof ClientKeys>

/**
 * The caller's own key copies as Phase's clients read them, apps by name, and in each the environments with the shortest
 * name first, then by index. 401 when the caller was removed, or a Phase token revoked, meanwhile.
 */
export async function clientKeys(ctx: Context, actor: Actor, room: Room): Promise<ClientKeys> {
  const read = () => queries.clientKeysOf(ctx.db, actor.id, actor.credential)
  const rows = await readKeyCopies(ctx, actor, room, read)
  const [first] = rows
  if (first === undefined) throw unauthenticated()
  // A client could make nothing of null.
  if (first.wrapped_key_share === null && isPhaseBearer(actor.credential.text)) throw unauthenticated()
  return {
    wrapped_key_share: first.wrapped_key_share,
    ...(actor.type === 'user' ? { user_id: actor.id } : { account_id: actor.id }),
    offline_enabled: false,
    organisation: { id: actor.organisation.id, name: first.organisation_name ?? '' },
    apps: appsOf(rows, actor),
  }
}

/** The apps in the order of their first row. */
function appsOf(rows: readonly queries.ClientKeysRow[], { id, type }: Actor): ClientKeys['apps'] {
  const holder = { user: type === 'user' ? id : null, service_account: type === 'user' ? null : id }
  const apps: ClientKeys['apps'] = []
  for (const row of rows) {
    if (row.environment_id === null) continue
    if (apps.at(-1)?.id !== row.app_id) {
      const encryption = row.sse_enabled ? 'SSE' : 'E2E'
      apps.push({ id: row.app_id, name: row.app_name, encryption, environment_keys: [] })
    }
    apps.at(-1)?.environment_keys.push({ ...environmentKey(row), ...holder })
  }
  return apps
}

function environmentKey(
  copy: queries.KeyCopy,
): Omit<Static<typeof EnvironmentKey>, 'user' | 'service_account'> {
  const copiedAt = copy.copied_at.toISOString()
  return {
    id: copy.environment_id,
    environment: {
      id: copy.environment_id,
      name: copy.name,
      env_type: copy.env_type.toUpperCase(),
      index: copy.index,
      created_at: copy.created_at.toISOString(),
      updated_at: copy.changed_at.toISOString(),
    },
    identity_key: copy.public_key,
    wrapped_seed: copy.wrapped_seed,
    wrapped_salt: copy.wrapped_salt,
    paths: null,
    created_at: copiedAt,
    updated_at: copiedAt,
    deleted_at: null,
  }
}
