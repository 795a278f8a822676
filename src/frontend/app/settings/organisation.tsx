import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api, ifMatch } from '../api/client.ts'
import { isStatus, messageOf } from '../api/errors.ts'
import { can, meQuery } from '../api/me.ts'
import { useAct } from '../components/act.ts'
import { Button } from '../components/button.tsx'
import { ErrorText, Field, Input } from '../components/field.tsx'
import { needed, useFields } from '../components/fields.ts'
import { Banner } from '../components/pieces.tsx'
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

function RenameForm({ etag: seen, name: current }: { etag: string; name: string }) {
  const queryClient = useQueryClient()
  const toast = useToast()
  // What was there when the reader began to type: a change in between is shown, not overwritten.
  const [etag, setEtag] = useState(seen)
  const [other, setOther] = useState<string | null>(null)
  const fields = useFields({ name: current }, { name: needed('Write the name of the organisation.') })
  const { busy, problem, run } = useAct()
  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: organisationQuery.queryKey }),
      queryClient.invalidateQueries({ queryKey: meQuery.queryKey }),
    ])
  const rename = async () => {
    const renamed = await answer(api.v1.organisation.put({ name: fields.values.name.trim() }, ifMatch(etag)))
    setOther(null)
    toast(`The organisation is called ${renamed.name} now.`)
    await refresh()
    setEtag((await queryClient.ensureQueryData(organisationQuery)).etag)
  }
  const compare = async () => {
    const now = await queryClient.fetchQuery({ ...organisationQuery, staleTime: 0 })
    setEtag(now.etag)
    setOther(now.data.name)
  }
  return (
    <form
      className="form mb-6"
      ref={fields.ref}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!fields.check()) return
        void run(rename, (error) => {
          if (isStatus(error, 412)) void compare()
          return isStatus(error, 412) || fields.blame(messageOf(error))
        })
      }}
    >
      {other !== null && (
        <Banner tone="warn">
          Somebody has renamed it to <b>{other}</b> meanwhile. You wrote <b>{fields.values.name}</b>. Rename
          again to use yours.
        </Banner>
      )}
      <Field label="Name" error={fields.errors.name}>
        <Input autoComplete="organization" {...fields.bind('name')} />
      </Field>
      {problem !== null && <ErrorText>{problem}</ErrorText>}
      <div>
        <Button
          type="submit"
          busy={busy}
          disabledBecause={
            fields.values.name.trim() === current && other === null ? 'It is called so already.' : null
          }
        >
          Rename
        </Button>
      </div>
    </form>
  )
}
