import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { messageOf } from '../api/errors.ts'
import { Button, ButtonLink } from '../components/button.tsx'
import { ErrorText, Field, Input } from '../components/field.tsx'
import { PageHead } from '../components/page-head.tsx'
import { Select } from '../components/select.tsx'
import { rolesQuery } from '../roles/role-options.ts'
import { useAccountRoles } from './account-role.tsx'
import { IssuedTokenDialog } from './issued-token.tsx'
import { createAccount, type IssuedToken } from './queries.ts'
import { FormatChoice } from './token-form.tsx'
import type { TokenFormat } from './tokens.ts'

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
      {made !== null && <IssuedTokenDialog accountId={made.id} issued={made.token} onKept={open} />}
    </>
  )
}

function NewAccountForm({ onMade }: { onMade: (made: Made) => void }) {
  const queryClient = useQueryClient()
  const options = useAccountRoles()
  const { data: roles } = useQuery(rolesQuery)
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const [tokenName, setTokenName] = useState('')
  const [format, setFormat] = useState<TokenFormat>('phase')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const roleId = chosen ?? roles?.find((role) => role.isDefault && role.name === 'Service')?.id ?? null
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (roleId === null) return setProblem('Choose a role.')
    setBusy(true)
    setProblem(null)
    try {
      const account = await createAccount({
        name: name.trim(),
        role_id: roleId,
        token_name: tokenName.trim() === '' ? 'Initial token' : tokenName.trim(),
        token_format: format,
      })
      void queryClient.invalidateQueries({ queryKey: ['service-accounts'] })
      onMade({ id: account.id, token: account.initialToken })
    } catch (error) {
      setProblem(messageOf(error))
      setBusy(false)
    }
  }
  return (
    <form className="form" onSubmit={submit}>
      <Field label="Name">
        <Input
          autoFocus
          required
          maxLength={64}
          placeholder="deploy-production"
          value={name}
          onChange={(event) => setName(event.target.value)}
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
      >
        <Input
          maxLength={64}
          placeholder="Where it will be used"
          value={tokenName}
          onChange={(event) => setTokenName(event.target.value)}
        />
      </Field>
      <FormatChoice format={format} onChange={setFormat} />
      {problem !== null && <ErrorText>{problem}</ErrorText>}
      <div className="row">
        <Button kind="primary" type="submit" busy={busy}>
          Create the service account
        </Button>
        <ButtonLink kind="quiet" to="/service-accounts">
          Cancel
        </ButtonLink>
      </div>
    </form>
  )
}
