import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

/** Who is signed in at the identity provider: the claims beside `sub`. */
export type Person = {
  sub: string
  email?: string
  email_verified?: boolean
  name?: string
}

/** An honest identity provider of OpenID Connect on a free port of this machine. */
export type IdentityProvider = {
  issuer: string
  clientId: string
  clientSecret: string
  /** Who signs in from now on, without being asked. */
  person: Person
  /** What a browser does at the provider: from the authorization URL to the address that it is sent back to. */
  visit(authorizationUrl: URL): Promise<URL>
  /** The variables that make it a provider of Keyward's under this name. */
  variables(name: string): Record<string, string>
  close(): Promise<void>
}

/** Starts one that sends people back to these addresses. Its time is the machine's. */
export async function startIdentityProvider(redirectUris: string[]): Promise<IdentityProvider> {
  const server = createServer()
  const issuer = await listen(server)
  const clientId = 'keyward'
  const clientSecret = randomBytes(16).toString('hex')
  const self: IdentityProvider = {
    issuer,
    clientId,
    clientSecret,
    person: { sub: 'ada', email: 'ada@example.org', email_verified: true, name: 'Ada Lovelace' },
    visit: (url) => visit(url, redirectUris),
    variables: (name) => {
      const prefix = name.toUpperCase().replaceAll('-', '_')
      return {
        SSO_PROVIDERS: name,
        SSO_ALLOW_HTTP_ISSUERS: 'true',
        [`${prefix}_ISSUER`]: issuer,
        [`${prefix}_CLIENT_ID`]: clientId,
        [`${prefix}_CLIENT_SECRET`]: clientSecret,
      }
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  // Who has signed in, by `sub`, as they were then: others may sign in before their code is exchanged.
  const people = new Map<string, Person>()
  const provider = createProvider(self, redirectUris, people)
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/')) signIn(provider, self.person, people, request, response)
    else answer(request, response)
  })
  return self
}

function createProvider(
  self: IdentityProvider,
  redirectUris: string[],
  people: ReadonlyMap<string, Person>,
): Provider {
  return new Provider(self.issuer, {
    clients: [{ client_id: self.clientId, client_secret: self.clientSecret, redirect_uris: redirectUris }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    cookies: { keys: ['of a test'] },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: () => ({ ...people.get(accountId), sub: accountId }),
    }),
    // Everybody agrees to everything that Keyward asks for.
    loadExistingGrant: async (ctx) => {
      const { client, session } = ctx.oidc
      // A new one would void the codes of sign-ins that are under way in other tabs.
      const known = session?.grantIdFor(client?.clientId ?? '')
      if (known) return await ctx.oidc.provider.Grant.find(known)
      const grant = new ctx.oidc.provider.Grant({ clientId: client?.clientId, accountId: session?.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
}

async function signIn(
  provider: Provider,
  person: Person,
  people: Map<string, Person>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  people.set(person.sub, person)
  await provider.interactionFinished(request, response, { login: { accountId: person.sub } })
}

/** Each visit is that of a browser without cookies. */
async function visit(start: URL, redirectUris: readonly string[]): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = start
  for (let step = 0; step < 10; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const header of response.headers.getSetCookie()) {
      const [pair = ''] = header.split(';')
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    const location = response.headers.get('location')
    if (location === null)
      throw new Error(`The identity provider answered ${response.status}: ${await response.text()}`)
    url = new URL(location, url)
    if (redirectUris.includes(`${url.origin}${url.pathname}`)) return url
  }
  throw new Error('The identity provider redirects without end.')
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://localhost:${(server.address() as AddressInfo).port}`
}
