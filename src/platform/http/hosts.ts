/** Which hosts and origins a deployment answers to; `loopback` when its own host is a loopback name. */
export type HostRules = Readonly<{
  allowedHosts: readonly string[]
  allowedOrigins: readonly string[]
  loopback: boolean
}>

/** The host of a `Host` header as it is compared: lower case, without port and trailing dot. */
export const hostName = (header: string): string =>
  header.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')

/** Whether the service answers to this `Host`; never where it has a port that there can't be: no URL has such. */
export function isAllowedHost(rules: HostRules, header: string): boolean {
  const [, port = 0] = /:(\d+)$/.exec(header) ?? []
  if (Number(port) > 65_535) return false
  const host = hostName(header)
  if (rules.loopback && isLoopback(host)) return true
  return rules.allowedHosts.some((allowed) =>
    allowed.startsWith('.') ? host.endsWith(allowed) : host === allowed,
  )
}

/** Whether a page of this origin may call the service. */
export function isAllowedOrigin(rules: HostRules, origin: string, hostHeader: string): boolean {
  if (rules.allowedOrigins.includes(origin)) return true
  return rules.loopback && (origin === `http://${hostHeader}` || origin === `https://${hostHeader}`)
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
