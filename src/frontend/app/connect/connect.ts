import { answer, api } from '../api/client.ts'
import { ApiError, messageOf } from '../api/errors.ts'
import type { ConnectRequest } from './request.ts'

/** How long the command line may take to answer: it runs on this computer, but somebody may have to allow the call. */
const ANSWER_WITHIN_MS = 60_000

/** How it ended: the command line has the token, or it did not answer and the token is revoked. */
export type Outcome = 'connected' | 'unanswered'

/**
 * Makes a token in the format of the command line and hands it over, sealed for its key. Where nothing answers, the token
 * is revoked: nobody has it then, or nobody is known to have it.
 */
export async function connect(request: ConnectRequest, email: string): Promise<Outcome> {
  const { sealFor } = await import('../secrets/opening/sealed-text.ts')
  // A key that can't be used is found out before there is a token.
  sealFor(request.publicKey, [''])
  const { id, token } = await answer(api.v1.tokens.post({ name: request.name, format: 'phase' }))
  const [sealedEmail = '', sealedToken = ''] = sealFor(request.publicKey, [email, token])
  if (await handOver(request.port, { email: sealedEmail, pss: sealedToken })) return 'connected'
  await answer(api.v1.tokens({ id }).delete()).catch((error: unknown) => {
    throw new ApiError(
      0,
      `Revoke “${request.name}” in the settings: nothing answered, and ${messageOf(error)}`,
    )
  })
  return 'unanswered'
}

async function handOver(port: number, body: { email: string; pss: string }): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      credentials: 'omit',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    return response.ok
  } catch {
    return false
  }
}
