import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { isStatus, messageOf } from '../api/errors.ts'
import { Dialog } from '../components/dialog.tsx'
import { Field, Input } from '../components/field.tsx'
import { useFields } from '../components/fields.ts'
import { Form } from '../components/form.tsx'
import { Avatar } from '../components/pieces.tsx'
import { Select } from '../components/select.tsx'
import { useToast } from '../components/toast.tsx'
import { nameOf } from '../members/names.ts'
import { useViewer } from '../shell/viewer.ts'
import { FactorForm } from '../sign-in/factor-form.tsx'
import { useRecentSignIn } from '../sign-in/recent-sign-in.tsx'
import type { FactorMethod, SentFactor } from '../sign-in/sign-in.ts'
import { candidatesQuery, factorsQuery } from './queries.ts'
import { Section } from './section.tsx'

/** Hands the organisation to another member, after its name was typed, with a recent sign-in and the second factor. */
export function Ownership() {
  const viewer = useViewer()
  const { data: candidates } = useSuspenseQuery(candidatesQuery)
  const { data: factors } = useSuspenseQuery(factorsQuery)
  const queryClient = useQueryClient()
  const toast = useToast()
  const { recently, dialog } = useRecentSignIn(viewer.email ?? '')
  const [memberId, setMemberId] = useState<string | null>(null)
  const [isConfirming, setConfirming] = useState(false)
  const fields = useFields({ confirmation: '' })
  const organisation = viewer.organisation.name
  const chosen = candidates.find(({ id }) => id === memberId)
  const reason = whyNot(chosen !== undefined, fields.values.confirmation === organisation)
  const transfer = async (factor: SentFactor = {}) => {
    if (chosen === undefined) return
    await recently(() =>
      answer(api.service.auth.ownership.transfer.post({ member_id: chosen.id, ...factor })),
    )
    setConfirming(false)
    toast(`${nameOf(chosen)} is the Owner now, and you are an Admin.`)
    await queryClient.invalidateQueries()
  }
  const methods: FactorMethod[] = [
    ...(factors.passkeys > 0 ? (['passkey'] as const) : []),
    ...(factors.totp ? (['totp'] as const) : []),
    ...(factors.recoveryCodes > 0 ? (['recovery'] as const) : []),
  ]
  const asksForFactor = (error: unknown): boolean => {
    // The sign-in is recent, and the second factor is asked for besides.
    const asks = methods.length > 0 && isStatus(error, 403) && messageOf(error).startsWith('Confirm this')
    setConfirming(asks)
    return asks
  }
  return (
    <Section
      title="Transfer ownership"
      text="There is exactly one Owner. You become an Admin at once, and only the new Owner can undo it. The new Owner must be an Admin today and you must have signed in within the last 10 minutes."
    >
      {candidates.length === 0 ? (
        <p>Nobody is an Admin today. Make somebody an Admin first, in the list of members.</p>
      ) : (
        <Form
          fields={fields}
          act="Transfer ownership"
          kind="plain"
          disabledBecause={reason}
          onSubmit={() => transfer()}
          onProblem={asksForFactor}
        >
          <div className="field">
            <span className="label">New Owner</span>
            <Select
              label="New Owner"
              value={memberId}
              options={candidates.map((member) => ({
                value: member.id,
                label: (
                  <span className="who">
                    <Avatar name={nameOf(member)} />
                    <span>
                      {nameOf(member)} <span className="dim">{member.role.name}</span>
                    </span>
                  </span>
                ),
              }))}
              onChange={setMemberId}
            />
          </div>
          <Field label="Type the name of the organisation to confirm" hint={organisation}>
            <Input autoComplete="off" {...fields.bind('confirmation')} />
          </Field>
        </Form>
      )}
      <Dialog
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title={`Make ${chosen === undefined ? '' : nameOf(chosen)} the Owner?`}
        text="Confirm it with your second factor."
      >
        <FactorForm methods={methods} act="Transfer ownership" onProve={transfer} />
      </Dialog>
      {dialog}
    </Section>
  )
}

function whyNot(isChosen: boolean, isTyped: boolean): string | null {
  if (!isChosen) return 'Choose the new Owner first.'
  return isTyped ? null : 'Type the name of the organisation as it is written below the field.'
}
