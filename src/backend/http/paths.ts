/** `/v1` and `/service/secrets` are served under these prefixes too, for clients that use them. */
const ALIASES: readonly (readonly [RegExp, string])[] = [
  [/^\/(?:service|service\/public|public)(?=\/v1(?:\/|$))/, ''],
  [/^\/(?:service\/public|public)(?=\/secrets(?:\/|$))/, '/service'],
]

/** What clients ask for that Keyward doesn't have, whatever routes are near it; each with the sentence of its 404. */
const NOT_SERVED: readonly (readonly [RegExp, string])[] = [
  [/^\/v1\/secrets\/dynamic(?:\/|$)/, 'Not found: Keyward has no dynamic secrets.'],
  [
    /^\/service\/public\/identities(?:\/|$)/,
    'Not found: Keyward knows no sign-in with the identity of a cloud. Use the token of a service account.',
  ],
]

/** The path of a URL, as it was sent. */
export function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.search(/[?#]/)
  return start === -1 ? '/' : url.slice(start, end === -1 ? undefined : end)
}

/**
 * The path of the route that is meant: aliases resolved, and slashes at its beginning read as one, which clients send that
 * were given a host with a slash at its end.
 */
export function routePathOf(path: string): string {
  const single = path.replace(/^\/{2,}/, '/')
  const [pattern, replacement] = ALIASES.find(([alias]) => alias.test(single)) ?? []
  return pattern === undefined ? single : single.replace(pattern, replacement ?? '')
}

/** Why nothing is served at a path that clients are known to ask for; null for every other path. */
export const notServed = (path: string): string | null =>
  NOT_SERVED.find(([pattern]) => pattern.test(path))?.[1] ?? null
