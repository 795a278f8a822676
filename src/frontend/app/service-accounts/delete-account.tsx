import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { accessQuery } from '../access/queries.ts'
import { isStatus } from '../api/errors.ts'
import { readAnew } from '../api/latest.ts'
import { ConfirmDialog } from '../components/dialog.tsx'
import { useToast } from '../components/toast.tsx'
import { counted } from '../components/words.ts'
import { isExpired } from '../tokens/expiry.ts'
import { type Account, accountQuery, deleteAccount } from './queries.ts'

type DeleteAccountProps = { account: Account; etag: string; open: boolean; onClose: () => void }

/** Asks before a service account is deleted, and says what stops working. */
export function DeleteAccount({ account, etag, open, onClose }: DeleteAccountProps) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const { data: access } = useQuery({ ...accessQuery('service_account', account.id), enabled: open })
  const confirm = async () => {
    try {
      await deleteAccount(account.id, etag)
    } catch (error) {
      if (!isStatus(error, 412)) throw error
      await readAnew(queryClient, accountQuery(account.id))
      throw new Error(
        'Somebody else has changed it meanwhile. The page shows it as it is now: look again before you delete it.',
      )
    }
    await navigate({ to: '/service-accounts', ignoreBlocker: true })
    await queryClient.invalidateQueries({ queryKey: ['service-accounts'] })
    toast(`The service account ${account.name} was deleted.`)
  }
  const live = account.tokens?.filter((token) => !isExpired(token)).length
  const environments = access?.data.apps.reduce((sum, app) => sum + app.environments.length, 0)
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={`Delete ${account.name}?`}
      text="It can’t be brought back."
      act={`Delete ${account.name}`}
      onConfirm={confirm}
    >
      <ul className="taken-away">
        <li>
          {live === undefined
            ? 'Its tokens stop'
            : live === 1
              ? 'Its token stops'
              : `Its ${live} tokens stop`}{' '}
          working at once, and whatever uses them.
        </li>
        {environments !== undefined && <li>Access to {counted(environments, 'environment')} ends.</li>}
        <li>Secrets that it has read stay known: change those that matter.</li>
      </ul>
    </ConfirmDialog>
  )
}
