import type { Config } from '../config.ts'

type HostConfig = Pick<Config, 'allowedHosts' | 'allowedOrigins' | 'loopback'>

/** The host of a `Host` header as it is compared: lower case, without port and trailing dot. */
export const hostName = (header: string): string =>
  header.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')

/** Whether the service answers to this `Host`. */
export function isAllowedHost(config: HostConfig, header: string): boolean {
  const host = hostName(header)
  if (config.loopback && isLoopback(host)) return true
  return config.allowedHosts.some((allowed) =>
    allowed.startsWith('.') ? host.endsWith(allowed) || host === allowed.slice(1) : host === allowed,
  )
}

/** Whether a page of this origin may call the service. */
export function isAllowedOrigin(config: HostConfig, origin: string, hostHeader: string): boolean {
  if (config.allowedOrigins.includes(origin)) return true
  return config.loopback && (origin === `http://${hostHeader}` || origin === `https://${hostHeader}`)
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
