import { Door } from '../shell/door.tsx'

/** The first run: makes the Owner and the organisation. */
export function SetupPage() {
  return <Door title="Set up Keyward">{null}</Door>
}
