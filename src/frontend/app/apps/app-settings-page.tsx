import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { readAnew } from '../api/latest.ts'
import { can, canInApps } from '../api/me.ts'
import { useAct } from '../components/act.ts'
import { Button } from '../components/button.tsx'
import { CheckField } from '../components/choices.tsx'
import { ConfirmDialog } from '../components/dialog.tsx'
import { ErrorText, Field, Input, TextArea } from '../components/field.tsx'
import { needed } from '../components/fields.ts'
import { Form } from '../components/form.tsx'
import { useSharedFields } from '../components/shared-fields.tsx'
import { useToast } from '../components/toast.tsx'
import { useViewer } from '../shell/viewer.ts'
import { appQuery, changeApp, deleteApp, switchEncryption } from './queries.ts'

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

function General({ app, etag }: Part) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const textsOf = ({ name, description }: Part['app']) => ({ name, description: description ?? '' })
  const { fields, submit, conflict } = useSharedFields({
    what: 'This app',
    labels: { name: 'Name', description: 'Description' },
    rules: { name: needed('Write what the app is called.') },
    seen: { values: textsOf(app), etag },
    read: async () => {
      const { data, etag } = await readAnew(queryClient, appQuery(app.id))
      return { values: textsOf(data), etag }
    },
    save: ({ name, description }, etag) =>
      changeApp(app.id, etag, {
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description: description === '' ? null : description }),
      }),
    onSaved: () => {
      void queryClient.invalidateQueries({ queryKey: ['apps'] })
      toast('The app was changed.')
    },
  })
  return (
    <section className="section border-t-0! pt-0!">
      <h2>Name</h2>
      <p>References to secrets of this app name it: they need its new name, too.</p>
      <Form fields={fields} act="Save" kind="plain" onSubmit={submit}>
        <Field label="Name" error={fields.errors.name}>
          <Input autoComplete="off" maxLength={64} {...fields.bind('name')} />
        </Field>
        <Field label="Description" error={fields.errors.description}>
          <TextArea rows={3} {...fields.bind('description')} />
        </Field>
      </Form>
      {conflict}
    </section>
  )
}

function Encryption({ app }: Part) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const { busy, problem, run } = useAct()
  const toggle = () =>
    run(async () => {
      await switchEncryption(app.id, !app.sseEnabled)
      await queryClient.invalidateQueries({ queryKey: ['apps'] })
      toast(
        app.sseEnabled
          ? 'The server no longer opens secrets of this app.'
          : 'The server opens secrets of this app for requests.',
      )
    })
  return (
    <section className="section">
      <h2>Server-side encryption</h2>
      <p>
        On, the server may open secrets for a request, so that this console, <code>curl</code> and Terraform
        work at once. Off, only clients that hold keys of their own can read them. Nothing is encrypted anew
        by switching.
      </p>
      <CheckField
        label={`The server may open the secrets of ${app.name}`}
        checked={app.sseEnabled}
        onChange={() => !busy && void toggle()}
      />
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
