import { answer, api } from '../api/client.ts'

/** Signs in with a password; where that is not enough, gives a ticket for the second factor. */
export const signInWithPassword = (email: string, password: string) =>
  answer(api.service.auth.password.login.post({ email, password }))

type PasswordAnswer = Awaited<ReturnType<typeof signInWithPassword>>

/** What every complete sign-in answers with: the bearer, and whose it is. */
export type SignedIn = Extract<PasswordAnswer, { accessToken: string }>

/** A sign-in that waits for its second factor. */
export type FactorAsked = Extract<PasswordAnswer, { secondFactor: unknown }>['secondFactor']
export type FactorMethod = FactorAsked['methods'][number]

type CompleteSignIn = Parameters<(typeof api.service.auth)['second-factor']['post']>[0]

/** A second factor: exactly one of a code, a recovery code and the answer of a passkey. */
export type SentFactor = Omit<CompleteSignIn, 'ticket'>

/** Completes a sign-in whose password was right. */
export const completeSignIn = (ticket: string, factor: SentFactor): Promise<SignedIn> =>
  answer(api.service.auth['second-factor'].post({ ticket, ...factor }))

/** Signs in with a passkey and nothing else. */
export const signInWithPasskey = (
  passkey: Parameters<(typeof api.service.auth.passkeys)['sign-in']['post']>[0]['passkey'],
): Promise<SignedIn> => answer(api.service.auth.passkeys['sign-in'].post({ passkey }))

type StartSignIn = Parameters<ReturnType<typeof api.service.auth.sso>['authorize']['post']>[0]

/** The longest address that a sign-in at a provider leads back to; of longer ones it leads to the first page. */
const LONGEST_RETURN = 512

/** Leads to a provider of single sign-on, which leads back to a page of the console. */
export async function goToProvider(
  provider: string,
  next: string,
  handed: Omit<StartSignIn, 'return_to'> = {},
): Promise<void> {
  const return_to = next.length <= LONGEST_RETURN && /^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(next) ? next : '/'
  const { url } = await answer(api.service.auth.sso({ provider }).authorize.post({ ...handed, return_to }))
  location.assign(url)
}
