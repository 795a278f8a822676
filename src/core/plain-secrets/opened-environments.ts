import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import { pathFault } from '../secrets/paths.ts'
import { hasTooManyMarks, nameKey } from '../text.ts'
import { yieldWhenDue } from '../yielding.ts'
import { type OpenedEnvironment, opened } from './opening.ts'
import * as queries from './queries.ts'
import type { Wanted } from './reference-graph.ts'
import type { Reference } from './reference-syntax.ts'

/** So many environments beside the own one are opened for the references of one request. */
const MOST_ENVIRONMENTS = 100

/** The environments that one request has opened; disposing of it forgets the keys of all but its own. */
export type OpenedEnvironments = Disposable &
  Readonly<{
    get(id: string): OpenedEnvironment | undefined
    /** The environments that references name, by their index; those that the actor can't open are missing. */
    find(wanted: readonly Wanted[]): Promise<ReadonlyMap<number, OpenedEnvironment>>
  }>

/** Opens the environments that references name, beside the request's own. */
export function openEnvironments(ctx: Context, actor: Actor, own: OpenedEnvironment): OpenedEnvironments {
  const environments = new Map([[own.row.id, own]])

  const open = (row: queries.EnvironmentWithKeys): OpenedEnvironment | null => {
    const known = environments.get(row.id)
    if (known !== undefined) return known
    if (environments.size > MOST_ENVIRONMENTS) return null
    const environment = opened(ctx, row)
    environments.set(row.id, environment)
    return environment
  }

  return {
    get: (id) => environments.get(id),
    find: async (wanted) => {
      const found = new Map<number, OpenedEnvironment>()
      const asked = new Map<string, { name: queries.EnvironmentName; places: number[] }>()
      const pause = yieldWhenDue()
      for (const [place, { environmentId, reference }] of wanted.entries()) {
        await pause()
        const home = environments.get(environmentId)
        if (home === undefined || !canExist(reference)) continue
        if (reference.environment === null) found.set(place, home)
        else addPlace(asked, environmentName(home, reference, reference.environment), place)
      }
      if (asked.size === 0) return found
      const places = [...asked.values()]
      const names = places.map(({ name }) => name)
      const room = MOST_ENVIRONMENTS + environments.size
      for (const { index, ...row } of await queries.findByNames(ctx.db, actor, names, room)) {
        const environment = open(row)
        if (environment === null) continue
        for (const place of places[index]?.places ?? []) found.set(place, environment)
      }
      return found
    },
    [Symbol.dispose]: () => {
      for (const environment of environments.values()) if (environment !== own) environment[Symbol.dispose]()
    },
  }
}

const environmentName = (
  home: OpenedEnvironment,
  { app }: Reference,
  environment: string,
): queries.EnvironmentName => ({
  app_id: app === null ? home.row.app_id : null,
  app_key: app === null ? null : nameKey(app),
  environment_key: nameKey(environment),
})

function addPlace(
  asked: Map<string, { name: queries.EnvironmentName; places: number[] }>,
  name: queries.EnvironmentName,
  place: number,
): void {
  const key = JSON.stringify(name)
  const entry = asked.get(key)
  if (entry === undefined) asked.set(key, { name, places: [place] })
  else entry.places.push(place)
}

/** Whether there can be a secret of this name: a client may have sealed any text, and not each can be looked up. */
const canExist = ({ app, environment, path }: Reference): boolean =>
  pathFault(path, '') === null &&
  (environment === null || /^[A-Za-z0-9_-]{1,64}$/.test(environment)) &&
  (app === null || (app.length <= 256 && !app.includes('\0') && !hasTooManyMarks(app)))
