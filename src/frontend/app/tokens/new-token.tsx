import { type ReactNode, useState } from 'react'
import { useShortcut } from '../shell/shortcuts.ts'
import type { IssuedToken, NewToken } from './token.ts'
import { TokenForm } from './token-form.tsx'

type MakingToken = {
  /** The form, while a token is being made. */
  form: ReactNode
  begin: () => void
  /** The token that was made, until its reader has kept it. */
  issued: IssuedToken | null
  onKept: () => void
}

/** Makes a token by a form, which N opens where `mayBegin`; its text is held until it is kept. */
export function useNewToken(
  create: (token: NewToken) => Promise<IssuedToken>,
  mayBegin: boolean,
): MakingToken {
  const [isMaking, setMaking] = useState(false)
  const [issued, setIssued] = useState<IssuedToken | null>(null)
  useShortcut('n', () => mayBegin && setMaking(true))
  const onCreate = async (token: NewToken) => {
    setIssued(await create(token))
    setMaking(false)
  }
  return {
    form: isMaking ? <TokenForm onCreate={onCreate} onCancel={() => setMaking(false)} /> : null,
    begin: () => setMaking(true),
    issued,
    onKept: () => setIssued(null),
  }
}
