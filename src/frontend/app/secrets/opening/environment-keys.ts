import { answer, api } from '../../api/client.ts'
import { currentBearer } from '../../api/session.ts'
import { type EnvironmentKeys, openKeys } from './key-opening.ts'

/** Opens the keys of environments that the reader can open; null for others. */
export type KeyRing = (environmentId: string) => EnvironmentKeys | null

/** The reader's keys. The server wraps them for the bearer of the request, so they are of use in this tab alone. */
export async function loadKeyRing(): Promise<KeyRing> {
  const bearer = await currentBearer()
  const keys = await answer(api.v1.me.keys.get())
  try {
    return openKeys(keys, bearer)
  } catch {
    // The bearer was renewed between the two.
    return openKeys(await answer(api.v1.me.keys.get()), await currentBearer())
  }
}

/** The keys of one environment. */
export function keysOf(ring: KeyRing, environment: { id: string; name: string }): EnvironmentKeys {
  const keys = ring(environment.id)
  if (keys === null) throw new Error(`You have no copy of the keys of ${environment.name}.`)
  return keys
}
