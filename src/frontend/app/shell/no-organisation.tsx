import { useNavigate } from '@tanstack/react-router'
import { leave } from '../api/session.ts'
import { Button } from '../components/button.tsx'
import { Door } from './door.tsx'

/** For an account that no organisation has invited yet, or that was removed. */
export function NoOrganisation({ email }: { email: string }) {
  const navigate = useNavigate()
  const signOut = async () => {
    await leave()
    await navigate({ to: '/sign-in' })
  }
  return (
    <Door title="You belong to no organisation">
      <p>
        You are signed in as {email}. Ask whoever runs Keyward to invite this address, then open the link in
        the invite.
      </p>
      <div className="form">
        <Button size="lg" onClick={signOut}>
          Sign out
        </Button>
      </div>
    </Door>
  )
}
