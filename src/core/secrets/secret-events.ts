import { createHash } from 'node:crypto'
import type { EventOf } from '../audit/events.ts'
import type { ReadEvent } from '../audit/reads.ts'
import type { EnvironmentRow } from './queries.ts'
import type { SecretRow } from './secret.ts'

/** What an audit entry tells of a secret: nothing of its name, not even the digest. */
export type SecretRef = Pick<SecretRow, 'id' | 'path' | 'version' | 'type'>

/** What happens to secrets; each request leaves one entry about the environment. */
export type SecretEventType =
  | 'secret.created'
  | 'secret.updated'
  | 'secret.deleted'
  | 'secret.restored'
  | 'secret.override_changed'
  | 'secret.read'

/** An entry names at most so many secrets, and tells the number of all. */
const MOST_NAMED = 100

/** The audit entry of a request that changed or read secrets of an environment. */
export const eventOf = <T extends SecretEventType>(
  eventType: T,
  environment: Pick<EnvironmentRow, 'id' | 'app_id' | 'name'>,
  secrets: readonly SecretRef[],
) =>
  ({
    eventType,
    resourceId: environment.id,
    resourceMetadata: { name: environment.name },
    appId: environment.app_id,
    environmentId: environment.id,
    newValues: {
      secrets: secrets
        .slice(0, MOST_NAMED)
        .map(({ id, path, version, type }) => ({ id, path, version, type })),
      total: secrets.length,
    },
    description: `${counted(secrets.length)} ${VERBS[eventType]} environment "${environment.name}".`,
  }) as unknown as EventOf<T>

/** The audit entry of a request that read secrets of an environment, with the digest of all, those that it doesn't name included. */
export function readEventOf(
  environment: Pick<EnvironmentRow, 'id' | 'app_id' | 'name'>,
  secrets: readonly SecretRef[],
): ReadEvent {
  const all = secrets.map(({ id, version }) => `${id} ${version}`).join()
  const digest = createHash('sha256').update(all).digest('base64')
  return { ...eventOf('secret.read', environment, secrets), digest }
}

const VERBS: Readonly<Record<SecretEventType, string>> = {
  'secret.created': 'created in',
  'secret.updated': 'updated in',
  'secret.deleted': 'deleted in',
  'secret.restored': 'restored in',
  'secret.override_changed': 'given another override in',
  'secret.read': 'read in',
}

const counted = (count: number): string => `${count} ${count === 1 ? 'secret' : 'secrets'}`
