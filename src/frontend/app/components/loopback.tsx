import { Banner } from './pieces.tsx'

/** Whether the console is open at an address that every machine has for itself alone. */
export const isLoopback = (hostname: string): boolean =>
  /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)

/** Says that something holds an address of this machine alone, where it does, and which setting changes that. */
export const LoopbackNote = ({ what }: { what: string }) =>
  isLoopback(location.hostname) && (
    <Banner tone="warn">
      {what} works on this machine alone: its address is {location.host}. For others, put a proxy with TLS in
      front and set <code>HOST</code> to a name that they can reach: see “Host names and proxies” in{' '}
      <code>docs/configuration.md</code>.
    </Banner>
  )
