import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { useAct } from '../components/act.ts'
import { Button } from '../components/button.tsx'
import { exactTime } from '../components/date-time.tsx'
import { Field, Input } from '../components/field.tsx'
import { Badge } from '../components/pieces.tsx'
import { useToast } from '../components/toast.tsx'
import { counted } from '../components/words.ts'
import { PanelFrame } from './panel.tsx'
import type { PanelProps } from './panel-props.ts'
import type { Secret } from './secret.ts'
import type { NamedEnvironment } from './secret-rows.ts'
import { useReload } from './use-reload.ts'

const restoreAt = (id: string, at: string, dry_run: boolean) =>
  answer(api.v1.environments({ id }).secrets.restore.post({ at, dry_run }))
type Plan = Awaited<ReturnType<typeof restoreAt>>

/** Brings an environment back to what it was at a time, after showing what that would change. */
export function RestorePanel({
  app,
  secrets,
  environment,
  onClose,
}: PanelProps & { environment: NamedEnvironment }) {
  const [time, setTime] = useState('')
  const [checked, setChecked] = useState<{ at: string; plan: Plan } | null>(null)
  const { busy, problem, setProblem, run } = useAct()
  const reload = useReload(app.id)
  const toast = useToast()
  const check = async () => {
    const at = new Date(time).toISOString()
    setChecked({ at, plan: await restoreAt(environment.id, at, true) })
  }
  const restore = async ({ at }: { at: string }) => {
    await restoreAt(environment.id, at, false)
    await reload()
    toast(`${environment.name} is as it was on ${exactTime(at)}.`)
    onClose()
  }
  const submit = () => {
    if (time === '') setProblem('Choose a time in the past.')
    else void run(checked === null ? check : () => restore(checked))
  }
  const count = checked === null ? 0 : checked.plan.restored.length + checked.plan.deleted.length
  return (
    <PanelFrame
      title={`Restore ${environment.name} to a time`}
      onClose={onClose}
      onSubmit={submit}
      act={
        checked === null ? (
          <Button busy={busy} onClick={submit}>
            Show what would change
          </Button>
        ) : (
          <Button
            kind="danger"
            busy={busy}
            disabledBecause={count === 0 ? 'Nothing would change.' : null}
            onClick={submit}
          >
            Restore {counted(count, 'secret')} of {environment.name}
          </Button>
        )
      }
    >
      <Field
        label="Time"
        hint="As it was then: values, names, paths, tags. What was deleted since comes back, what was added since is deleted."
        error={problem}
      >
        <Input
          type="datetime-local"
          step={1}
          className="max-w-64"
          value={time}
          onChange={(event) => {
            setTime(event.target.value)
            setChecked(null)
            setProblem(null)
          }}
        />
      </Field>
      {checked !== null && <RestorePlan plan={checked.plan} secrets={secrets.get(environment.id) ?? []} />}
    </PanelFrame>
  )
}

function RestorePlan({ plan, secrets }: { plan: Plan; secrets: readonly Secret[] }) {
  const names = new Map(secrets.map(({ id, key }) => [id, key]))
  const known = (id: string, path: string) => names.get(id) ?? `a deleted secret at ${path}`
  return (
    <section className="import-difference" aria-label="What changes">
      <p>
        {plan.restored.length} restored, {plan.deleted.length} deleted, {plan.unchanged} the same
        {plan.unknown.length > 0 &&
          `, ${plan.unknown.length} left alone because their versions of that time are no longer kept`}
        .
      </p>
      <ul>
        {plan.restored.map(({ id, path, version }) => (
          <li key={id}>
            <Badge tone="add">restored</Badge>
            <code>{known(id, path)}</code>
            <span className="dim small">version {version}</span>
          </li>
        ))}
        {plan.deleted.map(({ id, path }) => (
          <li key={id}>
            <Badge tone="remove">deleted</Badge>
            <code>{known(id, path)}</code>
          </li>
        ))}
      </ul>
    </section>
  )
}
