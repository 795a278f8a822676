import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { isStatus, messageOf } from '../api/errors.ts'
import { Button } from '../components/button.tsx'
import { Field, Input } from '../components/field.tsx'
import { useToast } from '../components/toast.tsx'
import { type Account, accountQuery, changeAccount } from './queries.ts'

/** Renames a service account, unless somebody else has changed it meanwhile: then it says to what. */
export function RenameForm({
  account,
  etag,
  onDone,
}: {
  account: Account
  etag: string
  onDone: () => void
}) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const [name, setName] = useState(account.name)
  // The version that the reader saw when the form opened, or that a refusal has shown since.
  const [seen, setSeen] = useState(etag)
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setProblem(null)
    try {
      await changeAccount(account.id, seen, { name: name.trim() })
      await queryClient.invalidateQueries({ queryKey: ['service-accounts'] })
      toast(`The service account is called ${name.trim()} now.`)
      onDone()
    } catch (error) {
      setProblem(isStatus(error, 412) ? await theirs() : messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  const theirs = async (): Promise<string> => {
    const latest = await queryClient.fetchQuery({ ...accountQuery(account.id), staleTime: 0 })
    setSeen(latest.etag)
    const { name, role } = latest.data
    return `Somebody else has changed it meanwhile: it is called ${name} and has the role ${role.name}. Rename it again to give it your name.`
  }
  return (
    <form className="form mb-6" onSubmit={submit}>
      <Field label="New name" error={problem}>
        <Input
          autoFocus
          required
          maxLength={64}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <div className="row">
        <Button kind="primary" type="submit" busy={busy}>
          Rename
        </Button>
        <Button kind="quiet" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
