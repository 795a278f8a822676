import { useSuspenseQuery } from '@tanstack/react-query'
import { useViewer } from '../shell/viewer.ts'
import { methodsQuery } from '../sign-in/methods.ts'
import { PasswordSection } from './password.tsx'
import { Section } from './section.tsx'

/** Who the reader is, and the password. */
export function Profile() {
  const { name, email, role, userId } = useViewer()
  const { data: methods } = useSuspenseQuery(methodsQuery)
  return (
    <>
      <Section
        title="Profile"
        text="Name and address were set when your account was made, and can’t be changed. For another address, have that one invited."
      >
        <dl className="pair">
          <dt>Name</dt>
          <dd>{name === '' ? <span className="dim">None was given</span> : name}</dd>
          <dt>E-mail</dt>
          <dd className="wrap-anywhere">{email}</dd>
          <dt>Role</dt>
          <dd>{role.name}</dd>
          <dt>Id</dt>
          <dd className="mono wrap-anywhere">{userId}</dd>
        </dl>
      </Section>
      {methods.password && <PasswordSection />}
    </>
  )
}
