import { useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog, Dialog } from '../components/dialog.tsx'
import { Field, Input } from '../components/field.tsx'
import { type FieldRule, needed, useFields } from '../components/fields.ts'
import { Form } from '../components/form.tsx'
import { useSharedFields } from '../components/shared-fields.tsx'
import { useToast } from '../components/toast.tsx'
import { createEnvironment, deleteEnvironment, readEnvironment, renameEnvironment } from './queries.ts'

const NAME: FieldRule = needed('An environment needs a name.')

/** Adds an environment to an app. */
export function NewEnvironment({ appId }: { appId: string }) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const fields = useFields({ name: '' }, { name: NAME })
  const add = async () => {
    const name = fields.values.name.trim()
    await createEnvironment(appId, name)
    await queryClient.invalidateQueries({ queryKey: ['apps'] })
    toast(`${name} was added. Whoever opens every app can open it, and so can you.`)
    fields.reset({ name: '' })
  }
  return (
    <Form className="form mt-8" fields={fields} act="Add the environment" kind="plain" onSubmit={add}>
      <Field
        label="New environment"
        hint="Letters, digits, hyphens and underscores."
        error={fields.errors.name}
      >
        <Input autoComplete="off" maxLength={64} {...fields.bind('name')} />
      </Field>
    </Form>
  )
}

type EnvironmentDialogProps = { environment: { id: string; name: string }; onClose: () => void }

/** Renames an environment; where somebody else has renamed it meanwhile, both names are shown first. */
export function RenameEnvironment({ environment: { id, name }, onClose }: EnvironmentDialogProps) {
  const queryClient = useQueryClient()
  const { fields, submit, isConflict, conflict } = useSharedFields({
    what: 'This environment',
    labels: { name: 'Name' },
    rules: { name: NAME },
    // The list tells no versions: the name that it showed is what the reader has seen.
    seen: { values: { name }, etag: null },
    read: async () => {
      const { data, etag } = await readEnvironment(id)
      return { values: { name: data.name }, etag }
    },
    save: ({ name = '' }, etag) => renameEnvironment(id, name, etag),
    onSaved: () => close(),
    onDropped: () => close(),
  })
  const close = () => {
    void queryClient.invalidateQueries({ queryKey: ['apps'] })
    onClose()
  }
  return (
    <>
      <Dialog
        open={!isConflict}
        onClose={onClose}
        title={`Rename ${name}`}
        text="Its kind stays. References and programs that name the environment need the new name."
      >
        <Form fields={fields} act="Rename" onSubmit={submit} onCancel={onClose}>
          <Field label="Name" error={fields.errors.name}>
            <Input autoFocus autoComplete="off" maxLength={64} {...fields.bind('name')} />
          </Field>
        </Form>
      </Dialog>
      {conflict}
    </>
  )
}

/** Asks before an environment is deleted. */
export function DeleteEnvironment({ environment: { id, name }, onClose }: EnvironmentDialogProps) {
  const queryClient = useQueryClient()
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete ${name}?`}
      text="Its secrets, their history and its keys are gone for good, and nobody can open it any more."
      act={`Delete ${name}`}
      onConfirm={async () => {
        await deleteEnvironment(id)
        await queryClient.invalidateQueries({ queryKey: ['apps'] })
      }}
    />
  )
}
