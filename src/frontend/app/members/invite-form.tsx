import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { create as invitePolicy } from '../../../core/invites/policy.ts'
import { refusalBy } from '../../../core/policy.ts'
import { kindOf } from '../api/me.ts'
import { CopyField } from '../components/copy-field.tsx'
import { Field, Input } from '../components/field.tsx'
import { address, useFields } from '../components/fields.ts'
import { Form } from '../components/form.tsx'
import { LoopbackNote } from '../components/loopback.tsx'
import { Banner } from '../components/pieces.tsx'
import { Select } from '../components/select.tsx'
import { roleOptions, useRoles } from '../roles/role-options.tsx'
import { invite } from './invite-queries.ts'

type Invite = Awaited<ReturnType<typeof invite>>

/** Invites an address. Where nothing mails the link, it is shown to be handed over. */
export function InviteForm() {
  const queryClient = useQueryClient()
  const { hash } = useLocation()
  const { data: roles = [] } = useRoles()
  const fields = useFields({ email: '' }, { email: address })
  const [chosen, setChosen] = useState<string | null>(null)
  const [made, setMade] = useState<Invite | null>(null)
  // Developer, where nothing was chosen: it opens nothing by itself.
  const roleId = chosen ?? roles.find((role) => kindOf(role) === 'developer')?.id ?? null
  const options = roleOptions(roles, (kind) => refusalBy(invitePolicy, { kind })?.message ?? null)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (hash === 'new') input.current?.focus()
  }, [hash])
  const submit = async () => {
    setMade(null)
    setMade(await invite(fields.values.email.trim(), roleId ?? ''))
    fields.set('email', '')
    void queryClient.invalidateQueries({ queryKey: ['invites'] })
  }
  return (
    <>
      <Form
        label="Invite"
        className="form mb-4"
        fields={fields}
        act="Invite"
        disabledBecause={roleId === null ? 'Choose a role first.' : null}
        onSubmit={submit}
      >
        <Field label="E-mail" error={fields.errors.email}>
          <Input ref={input} type="email" autoComplete="off" {...fields.bind('email')} />
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
          <p className="hint">{options.find(({ value }) => value === roleId)?.meaning}</p>
        </div>
      </Form>
      {made !== null && (
        <div className="form mb-6">
          <Made invite={made} />
        </div>
      )}
    </>
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
      <LoopbackNote what="This link" />
    </div>
  )
}
