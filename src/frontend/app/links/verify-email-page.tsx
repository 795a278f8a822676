import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../api/client.ts'
import { isStatus, messageOf } from '../api/errors.ts'
import { Button, ButtonLink } from '../components/button.tsx'
import { ErrorText, Field, Input } from '../components/field.tsx'
import { address, useFields } from '../components/fields.ts'
import { Door } from '../shell/door.tsx'
import { useLinkToken } from '../shell/link-token.ts'
import { ResendButton } from '../sign-in/resend.tsx'
import { DeadLink } from './dead-link.tsx'

/** Verifies an address with the link that was mailed to it. */
export function VerifyEmailPage() {
  const token = useLinkToken()
  const verification = useQuery({
    queryKey: ['verify-email', token],
    queryFn: async () => {
      await answer(api.service.auth.email.verify.post({ token: token ?? '' }))
      return true
    },
    enabled: token !== null,
    // The link works once: it is sent once, whatever happens to this page.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    refetchOnMount: false,
    retry: false,
  })
  if (verification.isSuccess) {
    return (
      <Door title="Your address is verified" text="You can sign in now.">
        <div className="form">
          <ButtonLink to="/sign-in" kind="primary" size="lg">
            Go to the sign-in
          </ButtonLink>
        </div>
      </Door>
    )
  }
  if (token !== null && verification.isPending) return <Door title="Verifying your address" />
  if (verification.isError && !isStatus(verification.error, 404)) {
    return (
      <Door title="Your address is not verified yet">
        <div className="form">
          <ErrorText>{messageOf(verification.error)}</ErrorText>
          <Button kind="primary" size="lg" onClick={() => verification.refetch()}>
            Try again
          </Button>
        </div>
      </Door>
    )
  }
  return (
    <DeadLink
      title="This link can’t be used"
      text="It was used already, is older than 24 hours, or is not whole. Where it was used, the address is verified: sign in. Otherwise have a new link mailed."
    >
      <NewLink />
    </DeadLink>
  )
}

function NewLink() {
  const fields = useFields({ email: '' }, { email: address })
  return (
    <form ref={fields.ref} className="grid gap-4" noValidate onSubmit={(event) => event.preventDefault()}>
      <Field label="E-mail" error={fields.errors.email}>
        <Input big type="email" autoComplete="username" {...fields.bind('email')} />
      </Field>
      <ResendButton email={fields.values.email.trim()} isReady={fields.check} />
    </form>
  )
}
