import ipaddr from 'ipaddr.js'
import type { Sharer, Visitors } from '../platform/turn-queues.ts'

/** The unit that limits count: an IPv4 address, or an IPv6 /64, which usually belongs to one client. */
export const networkOf = (ipAddress: string | null): string => prefixOf(ipAddress, 64)

/**
 * The unit that has one place in a line: an IPv4 address, or an IPv6 /48, the most that one site usually has. Whoever has
 * a site has many networks, and would keep others out with them.
 */
export const siteOf = (ipAddress: string | null): string => prefixOf(ipAddress, 48)

/** Whoever calls from an address without credentials that were accepted: sites take turns in the share of all visitors. */
export function visitorFrom(ipAddress: string | null): Sharer {
  const site = siteOf(ipAddress)
  return { responsibleId: 'visitors' satisfies Visitors, branchId: site, id: site }
}

/** Whether an address is IPv4 in its canonical form. Most are, and the parser is slower. */
export const isCanonicalIpv4 = (address: string): boolean => CANONICAL_IPV4.test(address)

const CANONICAL_IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

function prefixOf(ipAddress: string | null, bits: 48 | 64): string {
  if (ipAddress !== null && isCanonicalIpv4(ipAddress)) return ipAddress
  if (ipAddress === null || !ipaddr.isValid(ipAddress)) return 'unknown'
  const address = ipaddr.process(ipAddress)
  if (address instanceof ipaddr.IPv4) return address.toString()
  const parts = address.parts.slice(0, bits / 16).map((part) => part.toString(16))
  return `${parts.join(':')}::/${bits}`
}
