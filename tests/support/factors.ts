import { codeOf, stepOf } from '../../src/core/second-factor/totp-codes.ts'
import type { Answer, api } from './api.ts'
import { type Authenticator, type Deviation, softwareAuthenticator } from './authenticator.ts'
import type { TestContext } from './context.ts'
import { type Browser, browser, PASSWORD } from './sign-in.ts'

type Service = ReturnType<typeof api>

/** A browser that keeps every cookie it is given, as a page of the service that has not signed in yet. */
export type Visitor = ReturnType<typeof visitor>

export function visitor(service: Service, jar = new Map<string, string>()) {
  const post = async (path: string, body: unknown, at = service): Promise<Answer> => {
    const answer = await at.anonymous.send('POST', `/service/auth${path}`, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', cookie: cookiesOf(jar) },
    })
    for (const header of answer.headers.getSetCookie()) {
      const [pair = ''] = header.split(';', 1)
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    return answer
  }
  return {
    jar,
    post,
    /** Enters the password; gives the ticket, or an empty string where none was asked for. */
    ticket: async (email: string, password = PASSWORD): Promise<string> =>
      (await post('/password/login', { email, password })).body.secondFactor?.ticket ?? '',
    /** Answers a challenge of `passkeys/options/` with an authenticator. */
    assertion: async (authenticator: Authenticator, ticket?: string, change: Deviation = {}) => {
      const options = await post('/passkeys/options', ticket === undefined ? {} : { ticket })
      return authenticator.get(options.body, change)
    },
    /** The session that it has by now. */
    signedIn: (): Browser => browser(service, `keyward_session=${jar.get('keyward_session')}`),
  }
}

const cookiesOf = (jar: ReadonlyMap<string, string>): string =>
  [...jar].map(([name, value]) => `${name}=${value}`).join('; ')

/** Sets up an authenticator app; gives its secret and the recovery codes. */
export async function setUpTotp(ctx: TestContext, session: Browser) {
  const { secret } = (await session.send('POST', '/totp', {})).body
  const answer = await session.post('/totp/confirm', { totp: codeAt(ctx, secret) })
  if (answer.status !== 200) throw new Error(`the app was refused: ${answer.body.error}`)
  return { secret: secret as string, recoveryCodes: answer.body.recoveryCodes as string[] }
}

/** The code that an app shows now, or some time steps later. */
export const codeAt = (ctx: TestContext, secret: string, later = 0): string =>
  codeOf(secret, stepOf(ctx.clock.now()) + later)

/** Adds a passkey; gives the authenticator that holds it. */
export async function addPasskey(session: Browser, name = 'Laptop', authenticator = softwareAuthenticator()) {
  const options = (await session.post('/passkeys/registration', {})).body
  const { status, body } = await session.post('/passkeys', { name, passkey: authenticator.create(options) })
  if (status !== 201) throw new Error(`the passkey was refused: ${body.error}`)
  return { authenticator, id: body.id as string, recoveryCodes: body.recoveryCodes as string[] | null }
}
