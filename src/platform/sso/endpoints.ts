import type { ServerMetadata } from 'openid-client'
import { CallFailure } from './bounded-fetch.ts'

/**
 * Throws CallFailure where an issuer leads elsewhere than it may: an endpoint on another host than the issuer's must
 * have a name (an address could be this machine's or its network's), and no endpoint is less protected than the issuer.
 */
export function requireUsableEndpoints(issuer: string, metadata: ServerMetadata): void {
  const { hostname, protocol } = new URL(issuer)
  for (const endpoint of ENDPOINTS) {
    const value: unknown = metadata[endpoint]
    if (value === undefined && endpoint === 'userinfo_endpoint') continue
    const url = typeof value === 'string' ? URL.parse(value) : null
    if (url === null) throw new CallFailure(`The discovery document has no ${endpoint} that is a URL.`)
    const isProtected = url.protocol === 'https:' || url.protocol === protocol
    const isElsewhere = url.hostname !== hostname && ADDRESS.test(url.hostname)
    if (isProtected && !isElsewhere && !url.username && !url.password) continue
    const place = `${url.protocol}//${url.host}`.slice(0, 100)
    throw new CallFailure(`The discovery document has a ${endpoint} that may not be used: ${place}.`)
  }
}

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'] as const

/** As the URL parser writes them: every form of an IPv4 address is in four decimal parts then. */
const ADDRESS = /^(\[.*\]|[0-9.]+|(.*\.)?localhost\.?)$/
