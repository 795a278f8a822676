import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useAct } from '../components/act.ts'
import { Button, ButtonLink } from '../components/button.tsx'
import { ErrorText, Field, Input } from '../components/field.tsx'
import { PageHead } from '../components/page-head.tsx'
import { createApp } from './queries.ts'

const USUAL = 'Development, Staging, Production'

/** Makes an app with its first environments. */
export function NewAppPage() {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [environments, setEnvironments] = useState(USUAL)
  const { busy, problem, run } = useAct()
  const create = async () => {
    const app = await createApp({
      name,
      environments: namesIn(environments),
      ...(description.trim() === '' ? {} : { description }),
    })
    await queryClient.invalidateQueries({ queryKey: ['apps'] })
    await navigate({ to: '/apps/$appId/secrets', params: { appId: app.id } })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(create)
  }
  return (
    <>
      <PageHead
        title="New app"
        crumbs={[{ label: 'Apps', to: '/apps' }]}
        text="Each environment gets its own keys. Whoever opens one opens nothing of the others."
      />
      <form className="form" onSubmit={submit}>
        <Field label="Name" hint="Three or more apps named “Group / Name” are shown as a group.">
          <Input
            autoFocus
            required
            maxLength={64}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field
          label="Environments"
          hint="Separated by commas: letters, digits, hyphens and underscores. More can be added later."
        >
          <Input required value={environments} onChange={(event) => setEnvironments(event.target.value)} />
        </Field>
        <Field label="Description (optional)">
          <Input value={description} onChange={(event) => setDescription(event.target.value)} />
        </Field>
        {problem !== null && <ErrorText>{problem}</ErrorText>}
        <div className="row">
          <Button kind="primary" type="submit" busy={busy}>
            Create the app
          </Button>
          <ButtonLink kind="quiet" to="/apps">
            Cancel
          </ButtonLink>
        </div>
      </form>
    </>
  )
}

const namesIn = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
