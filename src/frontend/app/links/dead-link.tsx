import type { ReactNode } from 'react'
import { ButtonLink } from '../components/button.tsx'
import { Door } from '../shell/door.tsx'

/** Stands where a link can't be used: what may have happened to it, and what to do. */
export function DeadLink({
  title,
  text,
  children,
}: {
  title: string
  text: ReactNode
  children?: ReactNode
}) {
  return (
    <Door title={title} text={text}>
      <div className="form">
        {children}
        <ButtonLink to="/sign-in" size="lg">
          Go to the sign-in
        </ButtonLink>
      </div>
    </Door>
  )
}
