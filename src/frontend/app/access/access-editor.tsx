import { useQuery } from '@tanstack/react-query'
import { actorHasGlobalAccess } from '../../../core/access.ts'
import { messageOf } from '../api/errors.ts'
import { asRoleHolder } from '../api/me.ts'
import { Banner, SkeletonTable } from '../components/pieces.tsx'
import { useViewer } from '../shell/viewer.ts'
import { type AccessEditorProps, MatrixEditor } from './matrix-editor.tsx'
import { everythingQuery, ownAccessQuery } from './queries.ts'

/**
 * The access of a member or service account as a matrix of apps and environments: edited as a whole, said in words, and
 * applied as one change. Somebody else's change in between is shown, and not overwritten.
 */
export function AccessEditor(props: AccessEditorProps) {
  const viewer = useViewer()
  const isGlobal = actorHasGlobalAccess(asRoleHolder(viewer))
  const access = useQuery(props.query)
  const everything = useQuery(everythingQuery(viewer))
  const own = useQuery({ ...ownAccessQuery(viewer), enabled: !isGlobal })
  const error = access.error ?? everything.error ?? own.error
  if (error !== null) return <Banner tone="remove">{messageOf(error)}</Banner>
  if (access.data === undefined || everything.data === undefined || (!isGlobal && own.data === undefined)) {
    return <SkeletonTable columns={5} />
  }
  return (
    <MatrixEditor
      {...props}
      latest={access.data}
      everything={everything.data}
      own={isGlobal ? null : (own.data ?? [])}
    />
  )
}
