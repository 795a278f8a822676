import ipaddr from 'ipaddr.js'
import { isPrintable, type PlainName, quoted, type Settings } from './settings.ts'

/** Where people reach Keyward: the host without its port, and the whole origin. */
export type PublicAddress = Readonly<{ host: string; origin: string; loopback: boolean }>

const HOST_FORMS =
  'a host name, host:port or an origin, such as keyward.example.org or https://keyward.example.org'

/** The public address of HOST, or of `fallback` when it is not set; null where neither gives one. */
export function readPublicAddress(settings: Settings, fallback: string | null): PublicAddress | null {
  const value = settings.text('HOST') ?? fallback
  if (value === null) return null
  const address = parseAddress(value)
  if (address === null) settings.reject('HOST', HOST_FORMS)
  return address
}

/** The hosts of ALLOWED_HOSTS, lower case and without ports; they must contain `address`, their default. */
export function readAllowedHosts(settings: Settings, address: PublicAddress | null): string[] {
  if (!settings.isSet('ALLOWED_HOSTS')) return address ? [address.host] : []
  const hosts = readEntries(settings, 'ALLOWED_HOSTS', parseAllowedHost, {
    expectation: 'a host name, or .example.org for the subdomains of example.org',
    wildcard: 'a request could then name any host, and links would lead there',
  })
  if (address && !hosts.some((entry) => matchesHost(entry, address.host))) {
    settings.fault(
      `ALLOWED_HOSTS is ${quoted(hosts.join(','))} and doesn't contain the host of HOST: add ${quoted(address.host)}, or change HOST.`,
    )
  }
  return hosts
}

/** The normalised origins of ALLOWED_ORIGINS; they must contain the origin of `address`, their default. */
export function readAllowedOrigins(settings: Settings, address: PublicAddress | null): string[] {
  if (!settings.isSet('ALLOWED_ORIGINS')) return address ? [address.origin] : []
  const origins = readEntries(settings, 'ALLOWED_ORIGINS', parseOrigin, {
    expectation: 'an origin such as https://keyward.example.org, without a path',
    wildcard: 'every website could then call the API from the browsers of its visitors',
  })
  if (address && !origins.includes(address.origin)) {
    settings.fault(
      `ALLOWED_ORIGINS is ${quoted(origins.join(','))} and doesn't contain the origin of HOST: add ${quoted(address.origin)}, or change HOST.`,
    )
  }
  return origins
}

/** The proxies of TRUSTED_PROXIES as CIDRs of their network address, and the word `private`. */
export function readTrustedProxies(settings: Settings): string[] {
  return readEntries(settings, 'TRUSTED_PROXIES', parseProxy, {
    expectation: 'a CIDR such as 10.0.0.0/8, or the word private',
    wildcard: 'every caller could then state any client address',
  })
}

/** The domains of ALLOWED_EMAIL_DOMAINS, lower case and in ASCII; `.example.org` stands for subdomains. */
export function readEmailDomains(settings: Settings): string[] {
  return readEntries(settings, 'ALLOWED_EMAIL_DOMAINS', parseEmailDomain, {
    expectation: 'a domain such as example.org, or .example.org for its subdomains',
    wildcard: 'without the setting every domain is allowed',
  })
}

/** The IP address of BIND_ADDRESS, or `fallback`. */
export function readBindAddress(settings: Settings, fallback: string): string {
  const value = settings.text('BIND_ADDRESS') ?? fallback
  if (value !== 'localhost' && !isIpv4(value) && !ipaddr.IPv6.isValid(value)) {
    settings.reject('BIND_ADDRESS', 'an IP address of this machine, such as 127.0.0.1, 0.0.0.0 or ::')
  }
  return value
}

/** A host as it stands in a URL: lower case, ASCII, an IPv6 address in brackets; null when it is not a host. */
export function parseHost(text: string): string | null {
  if (ipaddr.IPv6.isValid(text)) return parseHost(`[${text}]`)
  if (/^\[[0-9a-f:.]+\]$/i.test(text)) return hostOfUrl(text)
  if (isIpv4(text)) return text
  if (/[\s/\\?#@:%[\]]/.test(text)) return null
  const host = hostOfUrl(text.replace(/\.$/, ''))
  // The URL parser reads 8080 as the address 0.0.31.144.
  return host !== null && host.length <= 253 && HOST_NAME.test(host) && !isIpv4(host) ? host : null
}

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const HOST_NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`)

function parseAddress(text: string): PublicAddress | null {
  const bare = ipaddr.IPv6.isValid(text) ? `[${text}]` : text
  const parts = /^(?:(https?):\/\/)?(\[[^\]]*\]|[^:/]+)(?::([0-9]{1,5}))?(\/?)$/i.exec(bare)
  if (!parts) return null
  const [, scheme, name = '', port = '', slash] = parts
  const host = parseHost(name)
  if (host === null || (slash && !scheme) || (port && !isPort(port))) return null
  const loopback = isLoopback(host)
  const protocol = scheme?.toLowerCase() ?? (loopback ? 'http' : 'https')
  return { host, origin: new URL(`${protocol}://${host}:${port}`).origin, loopback }
}

function parseOrigin(text: string): string | null {
  return /^https?:/i.test(text) ? (parseAddress(text)?.origin ?? null) : null
}

function parseAllowedHost(text: string): string | null {
  if (text.startsWith('.')) {
    const host = parseHost(text.slice(1))
    return host === null || isIpv4(host) || host.startsWith('[') ? null : `.${host}`
  }
  return text.includes('//') ? null : (parseAddress(text)?.host ?? null)
}

function parseEmailDomain(text: string): string | null {
  const host = parseHost(text.replace(/^\./, ''))
  if (host === null || isIpv4(host) || host.startsWith('[')) return null
  return text.startsWith('.') ? `.${host}` : host
}

function parseProxy(text: string): string | null {
  if (text.toLowerCase() === 'private') return 'private'
  if (isIpv4(text)) return `${text}/32`
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text)) {
    return `${ipaddr.IPv4.networkAddressFromCIDR(text)}/${text.split('/')[1]}`
  }
  if (ipaddr.IPv6.isValid(text) && !text.includes('%')) return `${ipaddr.IPv6.parse(text)}/128`
  if (!ipaddr.IPv6.isValidCIDR(text)) return null
  return `${ipaddr.IPv6.networkAddressFromCIDR(text)}/${text.split('/')[1]}`
}

function readEntries(
  settings: Settings,
  name: PlainName,
  parse: (text: string) => string | null,
  words: { expectation: string; wildcard: string },
): string[] {
  const entries = settings.list(name).map((text) => {
    const entry = parse(text)
    if (text === '*') settings.fault(`${name} contains "*": ${words.wildcard}. Name each one instead.`)
    else if (entry === null) {
      const subject = isPrintable(text) ? quoted(text) : "an entry that can't be used"
      settings.fault(`${name} contains ${subject}; each entry must be ${words.expectation}.`)
    }
    return entry
  })
  return [...new Set(entries.filter((entry) => entry !== null))]
}

function matchesHost(entry: string, host: string): boolean {
  return entry.startsWith('.') ? host.endsWith(entry) : host === entry
}

function isLoopback(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  const address = host.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === 'loopback'
}

function isIpv4(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text)
}

function isPort(text: string): boolean {
  return Number(text) >= 1 && Number(text) <= 65_535
}

function hostOfUrl(text: string): string | null {
  return URL.parse(`http://${text}`)?.hostname || null
}
