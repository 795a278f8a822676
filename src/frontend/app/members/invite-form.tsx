import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { create as invitePolicy } from '../../../core/invites/policy.ts'
import { refusalBy } from '../../../core/policy.ts'
import { messageOf } from '../api/errors.ts'
import { kindOf } from '../api/me.ts'
import { Button } from '../components/button.tsx'
import { CopyField } from '../components/copy-field.tsx'
import { ErrorText, Field, Input } from '../components/field.tsx'
import { Banner, RoleName } from '../components/pieces.tsx'
import { Select } from '../components/select.tsx'
import { roleOptions, rolesQuery } from '../roles/role-options.ts'
import { invite } from './invite-queries.ts'

type Invite = Awaited<ReturnType<typeof invite>>

/** Invites an address. Where nothing mails the link, it is shown to be handed over. */
export function InviteForm() {
  const queryClient = useQueryClient()
  const { hash } = useLocation()
  const { data: roles = [] } = useQuery(rolesQuery)
  const address = useRef<HTMLInputElement>(null)
  const [email, setEmail] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const [problem, setProblem] = useState<{ field: 'email' | 'role' | 'form'; message: string } | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [made, setMade] = useState<Invite | null>(null)
  // Developer, where nothing was chosen: it opens nothing by itself.
  const roleId = chosen ?? roles.find((role) => kindOf(role) === 'developer')?.id ?? null
  const options = roleOptions(
    roles,
    (kind) => refusalBy(invitePolicy, { kind })?.message ?? null,
    ({ name, color }) => <RoleName name={name} color={color} />,
  )
  useEffect(() => {
    if (hash === 'new') address.current?.focus()
  }, [hash])

  const checkEmail = (): boolean => {
    const message =
      email.trim() === ''
        ? 'Enter an e-mail address.'
        : /^\S+@\S+$/.test(email.trim())
          ? null
          : 'An e-mail address has the form name@example.org.'
    setProblem(message === null ? null : { field: 'email', message })
    return message === null
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!checkEmail()) return address.current?.focus()
    if (roleId === null) return setProblem({ field: 'role', message: 'Choose a role.' })
    setBusy(true)
    setProblem(null)
    setMade(null)
    try {
      setMade(await invite(email.trim(), roleId))
      setEmail('')
      void queryClient.invalidateQueries({ queryKey: ['invites'] })
    } catch (error) {
      setProblem({ field: 'form', message: messageOf(error) })
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="form mb-6" onSubmit={submit} noValidate aria-label="Invite">
      <Field label="E-mail" error={problem?.field === 'email' ? problem.message : null}>
        <Input
          ref={address}
          type="email"
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          onBlur={() => email !== '' && checkEmail()}
        />
      </Field>
      <div className="field">
        <span className="label">Role</span>
        <Select
          label="Role"
          value={roleId}
          options={options}
          onChange={setChosen}
          placeholder="Choose a role"
        />
        {problem?.field === 'role' ? (
          <ErrorText>{problem.message}</ErrorText>
        ) : (
          <p className="hint">{options.find(({ value }) => value === roleId)?.meaning}</p>
        )}
      </div>
      {problem?.field === 'form' && <ErrorText>{problem.message}</ErrorText>}
      <div className="row">
        <Button type="submit" kind="primary" busy={isBusy}>
          Invite
        </Button>
      </div>
      {made !== null && <Made invite={made} />}
    </form>
  )
}

function Made({ invite }: { invite: Invite }) {
  if (invite.inviteUrl === null) {
    return <Banner icon="mail">The invite was mailed to {invite.inviteeEmail}.</Banner>
  }
  return (
    <div className="stack" role="status">
      <p>
        Hand this link over to {invite.inviteeEmail}: nothing mails it. Whoever has it can join with this
        address.
      </p>
      <CopyField label={`Invite link for ${invite.inviteeEmail}`} text={invite.inviteUrl} />
    </div>
  )
}
