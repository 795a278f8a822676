import { can } from '../api/me.ts'
import { usePagedList } from '../api/paging.ts'
import { useCountsWith } from '../api/refresh.ts'
import { PageHead } from '../components/page-head.tsx'
import { PagedRows } from '../components/paged-rows.tsx'
import { Empty } from '../components/pieces.tsx'
import { useViewer } from '../shell/viewer.ts'
import { InviteForm } from './invite-form.tsx'
import { invitesQuery } from './invite-queries.ts'
import { InvitesTable } from './invites-table.tsx'

/** The open invites, and the form that makes another. */
export function InvitesPage() {
  const viewer = useViewer()
  const mayInvite = can(viewer, 'create', 'Members')
  const list = usePagedList(invitesQuery)
  useCountsWith(list.total)
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
          Open invites <span className="dim num">{list.total}</span>
        </h2>
        <PagedRows
          list={list}
          columns={4}
          empty={
            <Empty title="No invite is open" icon="mail">
              Who is invited stands here until they join, or the invite expires.
            </Empty>
          }
        >
          {(invites) => <InvitesTable invites={invites} />}
        </PagedRows>
      </section>
    </>
  )
}
