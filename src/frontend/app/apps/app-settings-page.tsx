import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { answer, api } from '../api/client.ts'
import { isStatus, messageOf } from '../api/errors.ts'
import { can, canInApps } from '../api/me.ts'
import { Button } from '../components/button.tsx'
import { Check } from '../components/cell.tsx'
import { ConfirmDialog } from '../components/dialog.tsx'
import { ErrorText, Field, Input, TextArea } from '../components/field.tsx'
import { useToast } from '../components/toast.tsx'
import { useViewer } from '../shell/viewer.ts'
import { appQuery, changeApp, deleteApp } from './queries.ts'

const route = getRouteApi('/shell/apps/$appId/settings')

/** The name and the description of an app, who may open its secrets in clear, and its end. */
export function AppSettingsPage() {
  const viewer = useViewer()
  const { appId } = route.useParams()
  const { data: app } = useSuspenseQuery(appQuery(appId))
  return (
    <div className="max-w-190">
      {can(viewer, 'update', 'Apps') && <General app={app.data} etag={app.etag} />}
      {can(viewer, 'update', 'Apps') && canInApps(viewer, 'update', 'EncryptionMode') && (
        <Encryption app={app.data} etag={app.etag} />
      )}
      {can(viewer, 'delete', 'Apps') && <End app={app.data} etag={app.etag} />}
    </div>
  )
}

type Part = {
  app: { id: string; name: string; description: string | null; sseEnabled: boolean }
  etag: string
}

/** Changes the app that is shown, unless somebody else has changed it meanwhile. */
function useChange({ app, etag }: Part) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const [problem, setProblem] = useState<string | null>(null)
  const change = async (body: Parameters<typeof changeApp>[2], done: string) => {
    setProblem(null)
    try {
      await changeApp(app.id, etag, body)
      toast(done)
    } catch (error) {
      setProblem(isStatus(error, 412) ? await theirs(app.id) : messageOf(error))
    } finally {
      await queryClient.invalidateQueries({ queryKey: ['apps'] })
    }
  }
  return { change, problem }
}

/** What somebody else has saved meanwhile: it is said, and overwritten only by saving again. */
async function theirs(id: string): Promise<string> {
  const { name, description } = await answer(api.v1.apps({ id }).get())
  const saved = description === null ? `${name}, without a description` : `${name}, “${description}”`
  return `Somebody else has changed this app meanwhile. They saved: ${saved}. What you typed still stands here.`
}

function General(part: Part) {
  const { app } = part
  const [name, setName] = useState(app.name)
  const [description, setDescription] = useState(app.description ?? '')
  const { change, problem } = useChange(part)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void change({ name, description: description.trim() === '' ? null : description }, 'The app was changed.')
  }
  return (
    <section className="section border-t-0! pt-0!">
      <h2>Name</h2>
      <p>References to secrets of this app name it: they need its new name, too.</p>
      <form className="form" onSubmit={submit}>
        <Field label="Name">
          <Input required maxLength={64} value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field label="Description">
          <TextArea rows={3} value={description} onChange={(event) => setDescription(event.target.value)} />
        </Field>
        {problem !== null && <ErrorText>{problem}</ErrorText>}
        <div>
          <Button type="submit">Save</Button>
        </div>
      </form>
    </section>
  )
}

function Encryption(part: Part) {
  const { app } = part
  const { change, problem } = useChange(part)
  return (
    <section className="section">
      <h2>Server-side encryption</h2>
      <p>
        On, the server may open secrets for a request, so that this console, <code>curl</code> and Terraform
        work at once. Off, only clients that hold keys of their own can read them. Nothing is encrypted anew
        by switching.
      </p>
      <label className="row">
        <Check
          checked={app.sseEnabled}
          onChange={() =>
            void change(
              { sse_enabled: !app.sseEnabled },
              app.sseEnabled
                ? 'The server no longer opens secrets of this app.'
                : 'The server opens secrets of this app for requests.',
            )
          }
        />
        The server may open the secrets of {app.name}
      </label>
      {problem !== null && <ErrorText>{problem}</ErrorText>}
    </section>
  )
}

function End({ app, etag }: Part) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [isAsked, setAsked] = useState(false)
  const confirm = async () => {
    await deleteApp(app.id, etag)
    await navigate({ to: '/apps' })
    queryClient.removeQueries({ queryKey: ['apps', app.id] })
    await queryClient.invalidateQueries({ queryKey: ['apps'] })
  }
  return (
    <section className="section">
      <h2>Delete this app</h2>
      <p>Its environments, their secrets with all versions and their keys are gone for good.</p>
      <Button kind="danger-quiet" onClick={() => setAsked(true)}>
        Delete {app.name}
      </Button>
      <ConfirmDialog
        open={isAsked}
        onClose={() => setAsked(false)}
        title={`Delete ${app.name}?`}
        text="Programs that read secrets of it stop at their next request. This can’t be undone."
        act={`Delete ${app.name}`}
        onConfirm={confirm}
      />
    </section>
  )
}
