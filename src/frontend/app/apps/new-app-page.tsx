import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ButtonLink } from '../components/button.tsx'
import { Field, Input } from '../components/field.tsx'
import { needed, useFields } from '../components/fields.ts'
import { Form } from '../components/form.tsx'
import { PageHead } from '../components/page-head.tsx'
import { createApp } from './queries.ts'

const USUAL = 'Development, Staging, Production'

/** Makes an app with its first environments. */
export function NewAppPage() {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const fields = useFields(
    { name: '', environments: USUAL, description: '' },
    {
      name: needed('Write what the app is called.'),
      environments: (text) => (namesIn(text).length === 0 ? 'An app needs an environment.' : null),
    },
  )
  const create = async () => {
    const { name, environments, description } = fields.values
    const app = await createApp({
      name,
      environments: namesIn(environments),
      ...(description.trim() === '' ? {} : { description }),
    })
    await queryClient.invalidateQueries({ queryKey: ['apps'] })
    await navigate({ to: '/apps/$appId/secrets', params: { appId: app.id } })
  }
  return (
    <>
      <PageHead
        title="New app"
        crumbs={[{ label: 'Apps', to: '/apps' }]}
        text="Each environment gets its own keys. Whoever opens one opens nothing of the others."
      />
      <Form
        fields={fields}
        act="Create the app"
        onSubmit={create}
        aside={
          <ButtonLink kind="quiet" to="/apps">
            Cancel
          </ButtonLink>
        }
      >
        <Field
          label="Name"
          hint="Three or more apps named “Group / Name” are shown as a group."
          error={fields.errors.name}
        >
          <Input autoFocus autoComplete="off" maxLength={64} {...fields.bind('name')} />
        </Field>
        <Field
          label="Environments"
          hint="Separated by commas: letters, digits, hyphens and underscores. More can be added later."
          error={fields.errors.environments}
        >
          <Input autoComplete="off" {...fields.bind('environments')} />
        </Field>
        <Field label="Description (optional)" error={fields.errors.description}>
          <Input autoComplete="off" {...fields.bind('description')} />
        </Field>
      </Form>
    </>
  )
}

const namesIn = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
