import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { answer, api } from '../api/client.ts'
import { can } from '../api/me.ts'
import { ConflictDialog } from '../components/conflict-dialog.tsx'
import { DateTime } from '../components/date-time.tsx'
import { Badge } from '../components/pieces.tsx'
import { useViewer } from '../shell/viewer.ts'
import { ChangeWords } from './change-words.tsx'
import { changesByApp } from './draft.ts'
import { type AccessApp, mergeApps } from './matrix.ts'
import type { PrincipalKind } from './queries.ts'
import type { Conflict } from './use-access-draft.ts'

type AccessConflictProps = {
  kind: PrincipalKind
  id: string
  name: string
  everything: readonly AccessApp[]
  conflict: Conflict | null
  onDrop: () => void
  onKeepEditing: () => void
  onApply: () => void
}

/** Somebody else's change of access beside the reader's own: what is applied goes on top of theirs. */
export function AccessConflict({
  kind,
  id,
  name,
  everything,
  conflict,
  onDrop,
  onKeepEditing,
  onApply,
}: AccessConflictProps) {
  if (conflict === null) return null
  const { before, now, theirs, mine, left } = conflict
  const apps = mergeApps(everything, before.data.apps, now.data.apps)
  const lines = apps.flatMap((app) =>
    app.environments
      .filter(({ id }) => theirs.has(id) || mine.has(id))
      .map(({ id, name }) => ({
        what: `${app.name}, ${name}`,
        theirs: badgeFor(theirs.get(id), ['opened', 'closed']),
        yours: badgeFor(mine.get(id), ['open', 'close']),
      })),
  )
  return (
    <ConflictDialog
      open
      title="This was changed while you were editing"
      text={<WhoChanged kind={kind} id={id} name={name} />}
      head="Environment"
      lines={lines}
      isLeft={left.size > 0}
      onKeepTheirs={onDrop}
      onKeepEditing={onKeepEditing}
      onApplyMine={onApply}
    >
      {theirs.size === 0 && (
        <p>
          {before.data.role.id === now.data.role.id
            ? 'The environments are as they were; something else of it has changed.'
            : `The role is ${now.data.role.name} now, it was ${before.data.role.name}.`}
        </p>
      )}
      <p>
        {left.size === 0 ? (
          'Nothing of yours is left to apply.'
        ) : (
          <>
            Yours on top: <ChangeWords name={name} {...changesByApp(apps, left)} /> What they changed stays.
          </>
        )}
      </p>
    </ConflictDialog>
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

function badgeFor(wanted: boolean | undefined, words: readonly [string, string]): ReactNode {
  if (wanted === undefined) return null
  return <Badge tone={wanted ? 'add' : 'remove'}>{wanted ? words[0] : words[1]}</Badge>
}
