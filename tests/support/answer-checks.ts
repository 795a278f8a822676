import type { App } from '../../src/backend/app.ts'
import type { Database } from '../../src/platform/postgres/database.ts'
import type { Answer } from './api.ts'

/** A request as a test sends it; `isRecorded` is false where it must leave no entry in the audit log. */
export type Asked = { method: string; path: string; isRecorded: boolean }

/** Routes whose success writes no entry, each with its reason. */
export const WITHOUT_ENTRY: Readonly<Record<string, string>> = {
  'POST /service/auth/session': 'it is another bearer of a session whose sign-in has an entry',
  'POST /service/auth/invites/lookup': 'it only reads',
  'POST /service/auth/password/forgot':
    'it changes nothing: the link that is mailed does when it is followed',
  'POST /service/auth/email/resend': 'it changes nothing: the link that is mailed does when it is followed',
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * What holds for every answer, whatever the test that asked looks at: its status is one that the route declares, and
 * what was changed stands in the audit log. Throws where it doesn't.
 */
export function answerChecks(app: App, db: Database): (asked: Asked, answer: Answer) => Promise<void> {
  const routeOf = routeFinder(app)
  return async (asked, answer) => {
    const route = routeOf(asked)
    if (route === undefined) return
    requireDeclared(route, answer)
    await requireEntry(db, route, asked, answer)
  }
}

type Route = { name: string; method: string; statuses: readonly string[] }

/** Finds the route that answers a request; undefined where none does and the answer is the front's own. */
function routeFinder(app: App) {
  const table = app.routes
    .filter(({ path }) => !path.startsWith('/swagger'))
    .map(({ method, path, hooks }) => {
      const bare = withoutSlash(path)
      return {
        name: `${method} ${bare}`,
        method,
        bare,
        pattern: new RegExp(`^${bare.replace(/:[a-z_]+/g, '[^/]+')}$`),
        statuses: Object.keys(hooks.response ?? {}),
      }
    })
  return ({ method, path }: Asked): Route | undefined => {
    const bare = withoutSlash(path.replace(/[?#].*$/, '')).replace(ALIAS, '')
    const literal = table.filter((route) => route.bare === bare)
    const there = literal.length > 0 ? literal : table.filter((route) => route.pattern.test(bare))
    return there.find((route) => route.method === (method === 'HEAD' ? 'GET' : method))
  }
}

const ALIAS = /^\/(?:service|service\/public|public)(?=\/v1(?:\/|$))/

const withoutSlash = (path: string): string => path.replace(/(.)\/$/, '$1')

function requireDeclared({ name, statuses }: Route, { status, body }: Answer): void {
  const isAboutHost = status === 400 && String(body?.error).startsWith('This host name is not allowed')
  if (isAboutHost || statuses.includes(String(status))) return
  throw new Error(
    `${name} answered ${status}, which it doesn't declare: add it to the route's \`responses(…)\`.` +
      ` It declares ${statuses.join(', ')}.`,
  )
}

/** The answer's request id finds its entry, so that requests at the same time are told apart. */
async function requireEntry(
  db: Database,
  { name, method }: Route,
  { isRecorded }: Asked,
  { status, headers }: Answer,
): Promise<void> {
  if (status >= 300 || SAFE_METHODS.includes(method)) return
  const [found] = await db<{ entries: number; has_trail: boolean }[]>`
    select (select count(*)::int from audit_entries where request_id = ${headers.get('x-request-id')}) as entries,
      exists (select 1 from deployment where organisation_id is not null) as has_trail`
  const hasEntry = found !== undefined && found.entries > 0
  const mustHaveEntry = isRecorded && !(name in WITHOUT_ENTRY) && found?.has_trail === true
  if (hasEntry === mustHaveEntry) return
  throw new Error(
    mustHaveEntry
      ? `${name} answered ${status} and left no entry in the audit log. If this request changes nothing, send it` +
          ' with `client.unrecorded`; if the route never does, name it in WITHOUT_ENTRY with the reason.'
      : `${name} answered ${status} and left an entry in the audit log, although it should leave none.`,
  )
}
