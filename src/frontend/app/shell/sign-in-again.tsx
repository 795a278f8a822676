import { Dialog } from '../components/dialog.tsx'
import { SignInForm } from '../sign-in/sign-in-form.tsx'

/** Signs in over the page whose session has ended. It closes by the sign-in alone, which the page is told of. */
export const SignInAgain = ({ email }: { email: string }) => (
  <Dialog
    open
    onClose={() => {}}
    dismissible={false}
    title="Your session has ended"
    text="Sign in to go on where you were. What you typed is kept."
  >
    <SignInForm
      email={email}
      isFixed={email !== ''}
      next={location.pathname + location.search + location.hash}
      providerNote="A provider leads away from this page and back to it: what you typed here is lost."
      onSignedIn={() => {}}
    />
  </Dialog>
)
