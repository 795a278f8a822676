import { useSuspenseQuery } from '@tanstack/react-query'
import { useAct } from '../components/act.ts'
import { Button } from '../components/button.tsx'
import { ErrorText } from '../components/field.tsx'
import { methodsQuery } from './methods.ts'
import { goToProvider } from './sign-in.ts'

type ProvidersProps = {
  /** Where the provider leads back to. */
  next: string
  invite?: string
  setupToken?: string
  /** What is lost where the reader leaves this page. */
  note?: string
}

/** A button for each provider of single sign-on. */
export function Providers({ next, invite, setupToken, note }: ProvidersProps) {
  const { data: methods } = useSuspenseQuery(methodsQuery)
  const { busy, problem, run } = useAct()
  if (methods.providers.length === 0) return null
  const handed = {
    ...(invite === undefined ? {} : { invite }),
    ...(setupToken === undefined || setupToken === '' ? {} : { setup_token: setupToken }),
  }
  return (
    <div className="grid grid-cols-1 gap-2">
      {methods.providers.map(({ id, name }) => (
        <Button key={id} size="lg" busy={busy} onClick={() => run(() => goToProvider(id, next, handed))}>
          Continue with {name}
        </Button>
      ))}
      {note !== undefined && <p className="hint">{note}</p>}
      {problem !== null && <ErrorText>{problem}</ErrorText>}
    </div>
  )
}
