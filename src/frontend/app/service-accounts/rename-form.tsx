import { useQueryClient } from '@tanstack/react-query'
import { readAnew } from '../api/latest.ts'
import { Field, Input } from '../components/field.tsx'
import { needed } from '../components/fields.ts'
import { Form } from '../components/form.tsx'
import { useSharedFields } from '../components/shared-fields.tsx'
import { useToast } from '../components/toast.tsx'
import { type Account, accountQuery, changeAccount } from './queries.ts'

type RenameFormProps = { account: Account; etag: string; onDone: () => void }

/** Renames a service account; where somebody else has renamed it meanwhile, both names are shown first. */
export function RenameForm({ account, etag, onDone }: RenameFormProps) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const { fields, submit, conflict } = useSharedFields({
    what: 'This service account',
    labels: { name: 'Name' },
    rules: { name: needed('Write what the service account is called.') },
    seen: { values: { name: account.name }, etag },
    read: async () => {
      const { data, etag } = await readAnew(queryClient, accountQuery(account.id))
      return { values: { name: data.name }, etag }
    },
    save: (changed, etag) => changeAccount(account.id, etag, changed),
    onSaved: ({ name }) => {
      void queryClient.invalidateQueries({ queryKey: ['service-accounts'] })
      toast(`The service account is called ${name} now.`)
      onDone()
    },
    onDropped: onDone,
  })
  return (
    <>
      <Form
        label="Rename the service account"
        className="form mb-6"
        fields={fields}
        act="Rename"
        onSubmit={submit}
        onCancel={onDone}
      >
        <Field label="New name" error={fields.errors.name}>
          <Input autoFocus autoComplete="off" maxLength={64} {...fields.bind('name')} />
        </Field>
      </Form>
      {conflict}
    </>
  )
}
