import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CopyButton } from '../components/copy-field.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { AuthenticatorApp } from './authenticator-app.tsx'
import type { Recently } from './factor-part.ts'
import { Passkeys } from './passkeys.tsx'
import { factorsQuery, passkeysQuery } from './queries.ts'
import { RecoveryCodes } from './recovery-codes.tsx'

type FactorsProps = {
  recently: Recently
  /** Called once a change is complete, and recovery codes that came with it are kept. */
  onComplete?: () => void
}

/** Passkeys, the authenticator app and recovery codes of the reader's account. */
export function Factors({ recently, onComplete }: FactorsProps) {
  const { data: factors } = useSuspenseQuery(factorsQuery)
  const queryClient = useQueryClient()
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const onChanged = async (recoveryCodes: readonly string[] | null = null) => {
    setCodes(recoveryCodes)
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: factorsQuery.queryKey }),
      queryClient.invalidateQueries({ queryKey: passkeysQuery.queryKey }),
    ])
    if (recoveryCodes === null) onComplete?.()
  }
  const part = { recently, onChanged }
  const hasFactor = factors.passkeys > 0 || factors.passkeysOfOtherHosts > 0 || factors.totp
  return (
    <>
      <Passkeys {...part} ofOtherHosts={factors.passkeysOfOtherHosts} />
      <AuthenticatorApp {...part} isSetUp={factors.totp} />
      {hasFactor && <RecoveryCodes {...part} left={factors.recoveryCodes} />}
      {codes !== null && (
        <NewCodes
          codes={codes}
          onDone={() => {
            setCodes(null)
            onComplete?.()
          }}
        />
      )}
    </>
  )
}

function NewCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <ShownOnce
      title="Keep your recovery codes"
      text="Each works once instead of another factor, and lets you in where you have lost them all. They are shown this once: keep them apart from this device."
      lost="Lost them? Get new ones in the settings."
      onDone={onDone}
    >
      <ul className="codes" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <CopyButton className="btn" text={codes.join('\n')} what="the recovery codes" secret />
    </ShownOnce>
  )
}
