import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../api/client.ts'
import { can } from '../api/me.ts'
import { Button } from '../components/button.tsx'
import { DateTime } from '../components/date-time.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Badge } from '../components/pieces.tsx'
import { useViewer } from '../shell/viewer.ts'
import { ChangeWords } from './change-words.tsx'
import { changesByApp, type Draft } from './draft.ts'
import { type AccessApp, mergeApps } from './matrix.ts'
import type { PrincipalKind } from './queries.ts'
import type { Conflict } from './use-access-draft.ts'

type ConflictDialogProps = {
  kind: PrincipalKind
  id: string
  name: string
  everything: readonly AccessApp[]
  conflict: Conflict | null
  onDrop: () => void
  onKeepEditing: () => void
  onApply: () => void
}

/** Somebody else's change beside the reader's own. It overwrites nothing: what is applied goes on top of theirs. */
export function ConflictDialog(props: ConflictDialogProps) {
  return (
    <Dialog
      open={props.conflict !== null}
      onClose={props.onKeepEditing}
      title="This was changed while you were editing"
      text={props.conflict !== null && <WhoChanged kind={props.kind} id={props.id} name={props.name} />}
      acts={props.conflict !== null && <Acts {...props} left={props.conflict.left} />}
    >
      {props.conflict !== null && <Changes {...props} conflict={props.conflict} />}
    </Dialog>
  )
}

function Acts({ left, onDrop, onKeepEditing, onApply }: ConflictDialogProps & { left: Draft }) {
  if (left.size === 0) {
    return (
      <Button kind="primary" onClick={onDrop}>
        Go on
      </Button>
    )
  }
  return (
    <>
      <Button kind="quiet" className="mr-auto" onClick={onDrop}>
        Drop mine
      </Button>
      <Button onClick={onKeepEditing}>Keep editing</Button>
      <Button kind="primary" onClick={onApply}>
        Apply mine on top
      </Button>
    </>
  )
}

function WhoChanged({ kind, id, name }: { kind: PrincipalKind; id: string; name: string }) {
  const viewer = useViewer()
  const { data } = useQuery({
    queryKey: ['audit', 'last-access-change', id],
    queryFn: () =>
      answer(
        api.v1.logs.audit.get({ query: { resource_id: id, event_type: `${kind}.access_changed`, limit: 1 } }),
      ),
    enabled: can(viewer, 'read', 'Logs'),
    staleTime: 0,
  })
  const entry = data?.data[0]
  const who = entry?.actorMetadata.name
  return (
    <p>
      {entry !== undefined && typeof who === 'string' && who !== '' ? (
        <>
          {who} saved other access for {name}: <DateTime at={entry.timestamp} />.
        </>
      ) : (
        <>Somebody saved other access for {name}.</>
      )}{' '}
      Yours is not applied yet.
    </p>
  )
}

function Changes({ conflict, everything, name }: ConflictDialogProps & { conflict: Conflict }) {
  const { before, now, theirs, mine, left } = conflict
  const apps = mergeApps(everything, before.data.apps, now.data.apps)
  const rows = apps.flatMap((app) =>
    app.environments
      .filter(({ id }) => theirs.has(id) || mine.has(id))
      .map((environment) => ({ app: app.name, ...environment })),
  )
  const isOtherRole = before.data.role.id !== now.data.role.id
  return (
    <div className="stack">
      {theirs.size === 0 && (
        <p>
          {isOtherRole
            ? `The role is ${now.data.role.name} now, it was ${before.data.role.name}.`
            : 'The environments are as they were; something else of it has changed.'}
        </p>
      )}
      <div className="conflict-rows">
        <table className="list">
          <caption className="vh">Their change and yours</caption>
          <thead>
            <tr>
              <th scope="col">Environment</th>
              <th scope="col">Theirs</th>
              <th scope="col">Yours</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, app, name }) => (
              <tr key={id}>
                <th scope="row">
                  {app}, {name}
                </th>
                <td>
                  <Change wanted={theirs.get(id)} words={['opened', 'closed']} />
                </td>
                <td>
                  <Change wanted={mine.get(id)} words={['open', 'close']} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p>
        {left.size === 0 ? (
          'Nothing of yours is left to apply.'
        ) : (
          <>
            Yours on top: <ChangeWords name={name} {...changesByApp(apps, left)} /> What they changed stays.
          </>
        )}
      </p>
    </div>
  )
}

function Change({ wanted, words }: { wanted: boolean | undefined; words: readonly [string, string] }) {
  if (wanted === undefined) return <span className="faint">as it was</span>
  return <Badge tone={wanted ? 'add' : 'remove'}>{wanted ? words[0] : words[1]}</Badge>
}
