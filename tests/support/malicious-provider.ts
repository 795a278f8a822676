import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import type { Clock } from '../../src/platform/clock.ts'

/** What a provider is asked for. */
export type Endpoint = 'discovery' | 'authorize' | 'token' | 'keys' | 'userinfo'

/** What it answers instead of the truth, which `honest` gives. */
export type Answer = (honest: () => Response) => Response | Promise<Response>

/** Claims of a token. */
export type Claims = Record<string, unknown>

/** The key that a provider signs with. */
export type SigningKey = { kid: string; privateKey: KeyObject; jwk: Claims }

/**
 * An identity provider that answers as a test tells it to, and honestly where the test says nothing. It checks nothing
 * of what it is asked, and keeps it in `requests`.
 */
export type MaliciousProvider = {
  issuer: string
  clientId: string
  clientSecret: string
  /** Called instead of the endpoint. */
  answers: Partial<Record<Endpoint, Answer>>
  /** Changes what the discovery document says. */
  metadata: Claims
  /** The claims of the next ID token, from the honest ones. */
  claims: (honest: Claims) => Claims
  /** What the userinfo endpoint says. */
  userinfo: Claims
  /** The next ID token, from its claims: signed by `key` unless a test says otherwise. */
  token: (claims: Claims, key: SigningKey) => string
  /** What tokens are signed with and what the key set holds: a new one is a rotation. */
  key: SigningKey
  /** What came in: the endpoint and the parameters. */
  requests: { endpoint: Endpoint; parameters: URLSearchParams; authorization: string | null }[]
  /** What a browser does here: from the authorization URL to the address that it is sent back to. */
  visit(authorizationUrl: URL): Promise<URL>
  /** The variables that make it a provider of Keyward's under this name. */
  variables(name: string): Record<string, string>
  /** Forgets what a test has told it. */
  reset(): void
  close(): Promise<void>
}

type Tls = { cert: string; key: string }

/** Starts one on a free port of this machine, with tokens of the time of `clock`. */
export function startMaliciousProvider(clock: Clock, tls?: Tls): MaliciousProvider {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    ...(tls && { tls }),
    fetch: (request) => respond(self, nonces, clock, request),
  })
  const nonces = new Map<string, string | null>()
  const issuer = `${tls ? 'https' : 'http'}://localhost:${server.port}`
  const self: MaliciousProvider = {
    issuer,
    clientId: 'keyward',
    clientSecret: 'secret-of-keyward',
    ...honestState(),
    async visit(url) {
      const response = await fetch(url, { redirect: 'manual', ...(tls && { tls: { ca: tls.cert } }) })
      return new URL(response.headers.get('location') ?? '')
    },
    variables: (name) => {
      const prefix = name.toUpperCase().replaceAll('-', '_')
      return {
        SSO_PROVIDERS: name,
        SSO_ALLOW_HTTP_ISSUERS: 'true',
        [`${prefix}_ISSUER`]: issuer,
        [`${prefix}_CLIENT_ID`]: self.clientId,
        [`${prefix}_CLIENT_SECRET`]: self.clientSecret,
        ...(tls && { SSO_CA: tls.cert }),
      }
    },
    reset: () => Object.assign(self, honestState()),
    close: async () => {
      await server.stop(true)
    },
  }
  return self
}

/** A new key for signing, by RS256. */
export function signingKey(kid: string = randomUUID()): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' } }
}

/** A token of these claims, signed by RS256. */
export function signed(claims: Claims, key: SigningKey): string {
  const content = `${part({ alg: 'RS256', typ: 'JWT', kid: key.kid })}.${part(claims)}`
  return `${content}.${sign('sha256', Buffer.from(content), key.privateKey).toString('base64url')}`
}

/** One part of a token. */
export const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const firstKey = signingKey('first')

const honestState = () => ({
  answers: {},
  metadata: {},
  claims: (honest: Claims) => honest,
  userinfo: {},
  token: signed,
  key: firstKey,
  requests: [],
})

async function respond(
  self: MaliciousProvider,
  nonces: Map<string, string | null>,
  clock: Clock,
  request: Request,
): Promise<Response> {
  const endpoint = endpointOf(new URL(request.url).pathname)
  if (endpoint === null) return new Response('not found', { status: 404 })
  const parameters = new URLSearchParams(
    request.method === 'POST' ? await request.text() : new URL(request.url).search,
  )
  self.requests.push({ endpoint, parameters, authorization: request.headers.get('authorization') })
  const honest = () => honestAnswer(self, nonces, clock, endpoint, parameters)
  return (self.answers[endpoint] ?? ((truth) => truth()))(honest)
}

const PATHS: Record<string, Endpoint> = {
  '/.well-known/openid-configuration': 'discovery',
  '/authorize': 'authorize',
  '/token': 'token',
  '/keys': 'keys',
  '/userinfo': 'userinfo',
}

const endpointOf = (path: string): Endpoint | null => PATHS[path] ?? null

function honestAnswer(
  self: MaliciousProvider,
  nonces: Map<string, string | null>,
  clock: Clock,
  endpoint: Endpoint,
  parameters: URLSearchParams,
): Response {
  switch (endpoint) {
    case 'discovery':
      return Response.json({ ...metadataOf(self.issuer), ...self.metadata })
    case 'authorize': {
      const code = randomUUID()
      nonces.set(code, parameters.get('nonce'))
      return sendBack(self.issuer, parameters, code)
    }
    case 'token': {
      const nonce = nonces.get(parameters.get('code') ?? '')
      if (nonce === undefined) return Response.json({ error: 'invalid_grant' }, { status: 400 })
      const claims = self.claims({ ...claimsOf(self, clock), nonce })
      return Response.json({
        access_token: randomUUID(),
        token_type: 'Bearer',
        id_token: self.token(claims, self.key),
      })
    }
    case 'keys':
      return Response.json({ keys: [self.key.jwk] })
    case 'userinfo':
      return Response.json(self.userinfo)
  }
}

const metadataOf = (issuer: string): Claims => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  userinfo_endpoint: `${issuer}/userinfo`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
})

function claimsOf({ issuer, clientId }: MaliciousProvider, clock: Clock): Claims {
  const now = Math.floor(clock.now().getTime() / 1000)
  const person = { sub: 'ada', email: 'ada@example.org', email_verified: true, name: 'Ada Lovelace' }
  return { iss: issuer, aud: clientId, iat: now, exp: now + 300, ...person }
}

function sendBack(issuer: string, parameters: URLSearchParams, code: string): Response {
  const url = new URL(parameters.get('redirect_uri') ?? '')
  url.search = new URLSearchParams({ code, state: parameters.get('state') ?? '', iss: issuer }).toString()
  return new Response(null, { status: 302, headers: { location: url.href } })
}

/** No answer before the provider is closed. */
export const silence: Answer = () => new Promise(() => {})

/** An answer that begins at once and goes on for ever, a byte at a time. */
export const trickle: Answer = () =>
  jsonStream(async (controller) => {
    for (;;) {
      await Bun.sleep(50)
      controller.enqueue(new TextEncoder().encode(' '))
    }
  })

/** An answer without end, as fast as it is read. */
export const flood: Answer = () =>
  jsonStream(async (controller) => {
    for (let count = 0; count < 1024; count++) {
      controller.enqueue(new Uint8Array(64 * 1024).fill(0x20))
      await Bun.sleep(0)
    }
  })

/** 64 MiB of white space, which is small on the way. */
export const bomb: Answer = () => {
  packed ??= Bun.gzipSync(new Uint8Array(64 * 1024 * 1024).fill(0x20))
  return new Response(packed, {
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  })
}

let packed: Uint8Array<ArrayBuffer> | null = null

/** A redirect with the method kept. */
export const redirectTo =
  (url: string, status = 307): Answer =>
  () =>
    new Response(null, { status, headers: { location: url } })

/** A status with a body that is not JSON. */
export const statusOnly =
  (status: number): Answer =>
  () =>
    new Response('<html>', { status, headers: { 'content-type': 'text/html' } })

function jsonStream(
  write: (controller: ReadableStreamDefaultController<Uint8Array>) => Promise<void>,
): Response {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      // Ends when nobody reads any more.
      write(controller).then(
        () => controller.close(),
        () => {},
      )
    },
  })
  return new Response(stream, { headers: { 'content-type': 'application/json' } })
}
