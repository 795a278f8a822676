import { useEffect, useRef } from 'react'
import { useAct } from '../components/act.ts'
import { autofillsPasskeys, type PasskeyAnswer, passkeyOptions, passkeyOutOfAutofill } from './passkeys.ts'

/** A challenge can be answered for five minutes: before they are over, the browser gets a new one. */
const RENEW_MS = 4 * 60_000

type PasskeyAutofill = {
  /** The API's sentence where it refused the passkey that was chosen. */
  problem: string | null
  /** Resolves once no challenge is being fetched: its answer sets the cookie that a sign-in is bound to. */
  settled: () => Promise<unknown>
}

/**
 * Has the browser offer its passkeys where it fills in the address, as long as `isOn`: a browser asks for one passkey at a
 * time. One that is chosen is handed to `signIn`.
 */
export function usePasskeyAutofill(
  isOn: boolean,
  signIn: (passkey: PasskeyAnswer) => Promise<unknown>,
): PasskeyAutofill {
  const { problem, run } = useAct()
  const challenge = useRef<Promise<unknown>>(Promise.resolve())
  const use = useRef(signIn)
  use.current = signIn
  useEffect(() => {
    if (!isOn) return
    const controller = new AbortController()
    const offer = async (): Promise<void> => {
      const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(RENEW_MS)])
      const options = passkeyOptions()
      challenge.current = options.catch(() => null)
      const passkey = await options
        .then((options) => passkeyOutOfAutofill(options, signal))
        .catch((error: unknown) => {
          if (!signal.aborted) throw error
          return null
        })
      if (controller.signal.aborted) return
      if (passkey === null) return offer()
      await run(() => use.current(passkey))
    }
    // Where the browser can't, there are a button and other ways.
    void autofillsPasskeys()
      .then((can) => (can && !controller.signal.aborted ? offer() : undefined))
      .catch(() => {})
    return () => controller.abort()
  }, [isOn])
  return { problem, settled: () => challenge.current }
}
