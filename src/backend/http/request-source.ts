import { randomUUID } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import type { RequestSource } from '../../core/actor.ts'
import { isCanonicalIpv4 } from '../../core/networks.ts'
import type { Log } from '../../platform/log.ts'

/** The address at the other end of a request's connection. */
export type PeerAddress = (request: Request) => string | null

/** Whether an address is a trusted proxy's; `trusted` holds addresses, CIDRs, and the word `private`. */
export function proxyTrust(trusted: readonly string[]): (address: string) => boolean {
  if (trusted.length === 0) return () => false
  const ranges = trusted
    .filter((entry) => entry !== 'private')
    .map((entry) => ipaddr.parseCIDR(asCidr(entry)))
  return (address) => {
    const parsed = parse(address)
    if (parsed === null) return false
    if (trusted.includes('private') && isPrivate(parsed)) return true
    return ranges.some((range) => parsed.kind() === range[0].kind() && parsed.match(range))
  }
}

/**
 * Finds out where a request came from: the peer's address, or behind trusted proxies the right-most untrusted one of
 * `X-Forwarded-For`. The request id of a trusted proxy is kept; otherwise a new one is created.
 */
export function sourceReader(trusted: readonly string[], peerAddress: PeerAddress, log: Log) {
  const isTrusted = proxyTrust(trusted)
  let warned = false
  return (request: Request): RequestSource => {
    const peer = canonicalAddress(peerAddress(request))
    const fromProxy = peer !== null && isTrusted(peer)
    const forwarded = request.headers.get('x-forwarded-for')
    if (forwarded !== null && !fromProxy && !warned && peer !== null && isPrivateAddress(peer)) {
      warned = true
      log.warn(
        'A peer in a private network sends X-Forwarded-For but is not in TRUSTED_PROXIES: the header is ignored',
      )
    }
    const requestId = fromProxy ? request.headers.get('x-request-id') : null
    return {
      ipAddress: fromProxy && forwarded !== null ? clientOf(forwarded, peer, isTrusted) : peer,
      userAgent: request.headers.get('user-agent')?.slice(0, 512) ?? null,
      requestId: requestId !== null && /^[A-Za-z0-9._-]{1,64}$/.test(requestId) ? requestId : randomUUID(),
    }
  }
}

/**
 * Reads the trace that a trusted proxy says a request belongs to, its `traceparent`. Nobody else's is read: it decides
 * whether the request is recorded, and under which id.
 */
export function traceparentReader(trusted: readonly string[], peerAddress: PeerAddress) {
  const isTrusted = proxyTrust(trusted)
  return (request: Request): string | null => {
    const traceparent = request.headers.get('traceparent')
    if (traceparent === null) return null
    const peer = canonicalAddress(peerAddress(request))
    return peer !== null && isTrusted(peer) ? traceparent : null
  }
}

function clientOf(forwarded: string, peer: string, isTrusted: (address: string) => boolean): string {
  let client = peer
  for (const entry of forwarded.split(',').reverse()) {
    const address = canonicalAddress(entry.trim())
    if (address === null) return client
    client = address
    if (!isTrusted(address)) return client
  }
  return client
}

/** An address in its canonical form: without brackets and port, and IPv4 in IPv6 as IPv4. */
function canonicalAddress(address: string | null): string | null {
  if (address !== null && isCanonicalIpv4(address)) return address
  const parsed = address === null ? null : parse(address.replace(/^\[(.*)\](:\d+)?$|^([\d.]+):\d+$/, '$1$3'))
  return parsed?.toString() ?? null
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (isCanonicalIpv4(address)) return new ipaddr.IPv4(address.split('.').map(Number))
  return ipaddr.isValid(address) ? ipaddr.process(address) : null
}

const PRIVATE = new Set(['private', 'loopback', 'uniqueLocal', 'linkLocal', 'carrierGradeNat'])
const isPrivate = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean => PRIVATE.has(address.range())

function isPrivateAddress(address: string): boolean {
  const parsed = parse(address)
  return parsed !== null && isPrivate(parsed)
}

const asCidr = (entry: string): string =>
  entry.includes('/') ? entry : `${entry}/${ipaddr.parse(entry).kind() === 'ipv4' ? 32 : 128}`
