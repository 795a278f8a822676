import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { answer, api, ifMatch } from '../api/client.ts'
import { readAnew } from '../api/latest.ts'
import { can, meQuery } from '../api/me.ts'
import { Field, Input } from '../components/field.tsx'
import { needed } from '../components/fields.ts'
import { Form } from '../components/form.tsx'
import { useSharedFields } from '../components/shared-fields.tsx'
import { useToast } from '../components/toast.tsx'
import { useViewer } from '../shell/viewer.ts'
import { organisationQuery } from './queries.ts'
import { Section } from './section.tsx'

const PLANS: Record<string, string> = { free: 'Free', pro: 'Pro', enterprise: 'Enterprise' }

/** The name of the organisation, which whoever may changes, and its plan. */
export function Organisation() {
  const viewer = useViewer()
  const { data: organisation } = useSuspenseQuery(organisationQuery)
  const { name, plan, id } = organisation.data
  return (
    <Section title="General" text="Members see this name when they sign in.">
      {can(viewer, 'update', 'Organisation') && <RenameForm etag={organisation.etag} name={name} />}
      <dl className="pair">
        {!can(viewer, 'update', 'Organisation') && (
          <>
            <dt>Name</dt>
            <dd>{name}</dd>
          </>
        )}
        <dt>Plan</dt>
        <dd>{PLANS[plan] ?? plan}, set by this deployment</dd>
        <dt>Id</dt>
        <dd className="mono wrap-anywhere">{id}</dd>
      </dl>
    </Section>
  )
}

function RenameForm({ etag, name }: { etag: string; name: string }) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const { fields, isChanged, submit, conflict } = useSharedFields({
    what: 'The organisation',
    labels: { name: 'Name' },
    rules: { name: needed('Write the name of the organisation.') },
    seen: { values: { name }, etag },
    read: async () => {
      const { data, etag } = await readAnew(queryClient, organisationQuery)
      return { values: { name: data.name }, etag }
    },
    save: ({ name = '' }, etag) => answer(api.v1.organisation.put({ name }, ifMatch(etag))),
    onSaved: (saved) => {
      void queryClient.invalidateQueries({ queryKey: meQuery.queryKey })
      toast(`The organisation is called ${saved.name} now.`)
    },
  })
  return (
    <>
      <Form
        className="form mb-6"
        fields={fields}
        act="Rename"
        kind="plain"
        disabledBecause={isChanged ? null : 'It is called so already.'}
        onSubmit={submit}
      >
        <Field label="Name" error={fields.errors.name}>
          <Input autoComplete="organization" {...fields.bind('name')} />
        </Field>
      </Form>
      {conflict}
    </>
  )
}
