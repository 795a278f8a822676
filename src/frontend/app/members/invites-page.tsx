import { useInfiniteQuery } from '@tanstack/react-query'
import { messageOf } from '../api/errors.ts'
import { can } from '../api/me.ts'
import { PageHead } from '../components/page-head.tsx'
import { Banner, Empty, LoadMore, SkeletonTable } from '../components/pieces.tsx'
import { useViewer } from '../shell/viewer.ts'
import { InviteForm } from './invite-form.tsx'
import { invitesQuery } from './invite-queries.ts'
import { InvitesTable } from './invites-table.tsx'

/** The open invites, and the form that makes another. */
export function InvitesPage() {
  const viewer = useViewer()
  const mayInvite = can(viewer, 'create', 'Members')
  const list = useInfiniteQuery(invitesQuery)
  const invites = list.data?.pages.flatMap((page) => page.data) ?? []
  const total = list.data?.pages.at(-1)?.total ?? invites.length
  return (
    <>
      <PageHead
        title="Invites"
        crumbs={[{ label: 'Members', to: '/members' }]}
        text="An invite lets one e-mail address join with a role, for 14 days. Access is given afterwards."
      />
      {mayInvite && <InviteForm />}
      <section className={mayInvite ? 'section' : undefined} aria-labelledby="open-invites">
        <h2 id="open-invites">
          Open invites <span className="dim num">{list.data === undefined ? '' : total}</span>
        </h2>
        {list.error !== null && <Banner tone="remove">{messageOf(list.error)}</Banner>}
        {list.isPending && <SkeletonTable columns={4} />}
        {list.data !== undefined && invites.length === 0 && (
          <Empty title="No invite is open" icon="mail">
            Who is invited stands here until they join, or the invite expires.
          </Empty>
        )}
        {invites.length > 0 && <InvitesTable invites={invites} />}
        {list.hasNextPage && (
          <LoadMore
            left={total - invites.length}
            size={100}
            busy={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          />
        )}
      </section>
    </>
  )
}
