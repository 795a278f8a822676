import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { useAct } from '../components/act.ts'
import { Button } from '../components/button.tsx'
import { ErrorText } from '../components/field.tsx'

type ResendProps = {
  email: string
  /** Whether the address can be sent. */
  isReady?: () => boolean
}

/** Mails the link once more that verifies an address. */
export function ResendButton({ email, isReady = () => true }: ResendProps) {
  const [sentTo, setSentTo] = useState<string | null>(null)
  const { busy, problem, run } = useAct()
  if (sentTo !== null && sentTo === email)
    return <p role="status">If {email} waits for it, a new link is on its way. It is valid for 24 hours.</p>
  const resend = async () => {
    await answer(api.service.auth.email.resend.post({ email }))
    setSentTo(email)
  }
  return (
    <>
      {problem !== null && <ErrorText>{problem}</ErrorText>}
      <Button size="lg" icon="mail" busy={busy} onClick={() => isReady() && void run(resend)}>
        Mail the link again
      </Button>
    </>
  )
}
