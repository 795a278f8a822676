import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { canInApps } from '../api/me.ts'
import { DateTime } from '../components/date-time.tsx'
import { ConfirmDialog } from '../components/dialog.tsx'
import { Icon } from '../components/icon.tsx'
import { Menu } from '../components/menu.tsx'
import { useToast } from '../components/toast.tsx'
import { counted } from '../components/words.ts'
import { useViewer } from '../shell/viewer.ts'
import { useGrid } from './grid.ts'
import type { Panel } from './panel-props.ts'
import type { Secret } from './secret.ts'
import type { NamedEnvironment } from './secret-rows.ts'
import { useReload } from './use-reload.ts'

type EnvironmentHeadProps = {
  environment: NamedEnvironment
  secrets: readonly Secret[] | undefined
  onOpen: (panel: Panel) => void
}

/** The head of an environment's column: how many secrets it has, when they last changed, and what can be done with all of them. */
export function EnvironmentHead({ environment, secrets = [], onOpen }: EnvironmentHeadProps) {
  const viewer = useViewer()
  const { appId, may, isServerSide } = useGrid()
  const [isRekeying, setRekeying] = useState(false)
  const reload = useReload(appId)
  const toast = useToast()
  const changedAt = secrets.reduce<string | null>(
    (last, { updatedAt }) => (last === null || updatedAt > last ? updatedAt : last),
    null,
  )
  const rekey = async () => {
    await answer(api.v1.environments({ id: environment.id }).rekey.post())
    await reload()
    toast(`${environment.name} has new keys.`)
  }
  return (
    <th scope="col">
      <Menu
        trigger={
          <button type="button" className="env-head">
            {environment.name}
            <Icon name="down" small />
          </button>
        }
        entries={[
          may.create && {
            label: 'Paste .env…',
            icon: 'upload',
            onClick: () => onOpen({ panel: 'paste', environment }),
          },
          { label: 'Export…', icon: 'download', onClick: () => onOpen({ panel: 'export', environment }) },
          may.update && {
            label: 'Restore to a time…',
            icon: 'restore',
            onClick: () => onOpen({ panel: 'restore', environment }),
          },
          canInApps(viewer, 'update', 'Environments') && {
            label: 'Renew the keys…',
            icon: 'key',
            onClick: () => setRekeying(true),
            disabledBecause: isServerSide ? null : SSE_OFF,
          },
        ]}
      />
      <small className="num">
        {counted(secrets.length, 'secret')}
        {changedAt !== null && (
          <>, changed {isJustNow(changedAt) ? 'just now' : <DateTime at={changedAt} />}</>
        )}
      </small>
      <ConfirmDialog
        open={isRekeying}
        onClose={() => setRekeying(false)}
        title={`Renew the keys of ${environment.name}?`}
        text={`Needed when somebody has left who may have kept the keys. All secrets of ${environment.name}, their versions and people’s own values are encrypted again, and whoever can open it gets the new keys. Nobody loses access, no value changes, and programs go on. It doesn’t undo what was read before: change values that must not be known.`}
        act="Renew the keys"
        danger={false}
        onConfirm={rekey}
      />
    </th>
  )
}

const SSE_OFF =
  'The server may not open the secrets of this app, so it can’t seal them for other keys. Switch server-side encryption on first.'

const isJustNow = (at: string): boolean => Date.now() - Date.parse(at) < 60_000
