import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ButtonLink } from '../components/button.tsx'
import { Field, Input } from '../components/field.tsx'
import { needed, useFields } from '../components/fields.ts'
import { Form } from '../components/form.tsx'
import { PageHead } from '../components/page-head.tsx'
import { Select } from '../components/select.tsx'
import { useRoles } from '../roles/role-options.tsx'
import type { IssuedToken, TokenFormat } from '../tokens/token.ts'
import { FormatChoice } from '../tokens/token-form.tsx'
import { useAccountRoles } from './account-role.tsx'
import { IssuedAccountToken } from './issued-account-token.tsx'
import { createAccount } from './queries.ts'

type Made = { id: string; token: IssuedToken }

/** Makes a service account with its first token, which is shown once; then leads to what it can open. */
export function NewServiceAccountPage() {
  const [made, setMade] = useState<Made | null>(null)
  const navigate = useNavigate()
  const open = () => {
    if (made !== null)
      void navigate({
        to: '/service-accounts/$accountId/access',
        params: { accountId: made.id },
        ignoreBlocker: true,
      })
  }
  return (
    <>
      <PageHead
        title="New service account"
        crumbs={[{ label: 'Service accounts', to: '/service-accounts' }]}
        text="For one program, so that it opens only what it needs. It opens nothing until access is given, on the next page."
      />
      <NewAccountForm onMade={setMade} />
      {made !== null && <IssuedAccountToken accountId={made.id} issued={made.token} onKept={open} />}
    </>
  )
}

function NewAccountForm({ onMade }: { onMade: (made: Made) => void }) {
  const queryClient = useQueryClient()
  const options = useAccountRoles()
  const { data: roles } = useRoles()
  const [chosen, setChosen] = useState<string | null>(null)
  const [format, setFormat] = useState<TokenFormat>('phase')
  const fields = useFields(
    { name: '', token_name: '' },
    { name: needed('Write what the service account is called.') },
  )
  const roleId = chosen ?? roles?.find((role) => role.isDefault && role.name === 'Service')?.id ?? null
  const create = async () => {
    const { name, token_name } = fields.values
    const account = await createAccount({
      name: name.trim(),
      role_id: roleId ?? '',
      token_name: token_name.trim() === '' ? 'Initial token' : token_name.trim(),
      token_format: format,
    })
    void queryClient.invalidateQueries({ queryKey: ['service-accounts'] })
    onMade({ id: account.id, token: account.initialToken })
  }
  return (
    <Form
      fields={fields}
      act="Create the service account"
      disabledBecause={roleId === null ? 'Choose a role first.' : null}
      onSubmit={create}
      aside={
        <ButtonLink kind="quiet" to="/service-accounts">
          Cancel
        </ButtonLink>
      }
    >
      <Field label="Name" error={fields.errors.name}>
        <Input
          autoFocus
          autoComplete="off"
          maxLength={64}
          placeholder="deploy-production"
          {...fields.bind('name')}
        />
      </Field>
      <div>
        <p className="label">Role</p>
        <Select label="Role" value={roleId} options={options} onChange={setChosen} />
        <p className="hint">What it may do where it has access. Service is made for machines.</p>
      </div>
      <Field
        label="Name of its first token (optional)"
        hint="It has no end. Others can be made with one, and this one revoked."
        error={fields.errors.token_name}
      >
        <Input
          autoComplete="off"
          maxLength={64}
          placeholder="Where it will be used"
          {...fields.bind('token_name')}
        />
      </Field>
      <FormatChoice format={format} onChange={setFormat} />
    </Form>
  )
}
