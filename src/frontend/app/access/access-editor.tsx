import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { actorHasGlobalAccess } from '../../../core/access.ts'
import { messageOf } from '../api/errors.ts'
import { asRoleHolder } from '../api/me.ts'
import { Banner, SkeletonTable } from '../components/pieces.tsx'
import { useViewer } from '../shell/viewer.ts'
import { MatrixEditor } from './matrix-editor.tsx'
import { everythingQuery, ownAccessQuery, type PrincipalKind, type WholeAccess } from './queries.ts'
import type { AccessQuery } from './use-access-draft.ts'

export type AccessEditorProps = {
  kind: PrincipalKind
  id: string
  name: string
  /** Whether the role opens everything, so that nothing can be opened or closed one by one. */
  globalAccess: boolean
  /** Reads the access with its ETag: `accessQuery(kind, id)`. */
  query: AccessQuery
  /** Sets the whole access: `saveAccess(kind, id)`. */
  save: (apps: WholeAccess, etag: string) => Promise<unknown>
  /** Stands at the end of the line above the matrix. */
  tools?: ReactNode
}

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
