import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { can } from '../api/me.ts'
import { useAct } from '../components/act.ts'
import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy-field.tsx'
import { DateTime } from '../components/date-time.tsx'
import { ConfirmDialog } from '../components/dialog.tsx'
import { ErrorText } from '../components/field.tsx'
import { Badge, RoleName } from '../components/pieces.tsx'
import { Head } from '../components/table.tsx'
import { useToast } from '../components/toast.tsx'
import { rolesQuery } from '../roles/role-options.tsx'
import { useViewer } from '../shell/viewer.ts'
import { type Invite, resend, withdraw } from './invite-queries.ts'

/** The invites that nobody has accepted yet: when each ends, its link to hand over, and how to take it back. */
export function InvitesTable({ invites }: { invites: readonly Invite[] }) {
  const viewer = useViewer()
  const queryClient = useQueryClient()
  const toast = useToast()
  const [withdrawing, setWithdrawing] = useState<Invite | null>(null)
  const { data: roles = [] } = useQuery({ ...rolesQuery, enabled: can(viewer, 'read', 'Roles') })
  const colorOf = (id: string) => roles.find((role) => role.id === id)?.color ?? ''
  const withdrawIt = async () => {
    if (withdrawing === null) return
    await withdraw(withdrawing.id)
    await queryClient.invalidateQueries({ queryKey: ['invites'] })
    toast(`The invite of ${withdrawing.inviteeEmail} was withdrawn.`)
  }
  return (
    <>
      <table className="list invites">
        <caption className="vh">Open invites</caption>
        <thead>
          <tr>
            <Head>E-mail</Head>
            <Head wide>Role</Head>
            <Head wide>Invited by</Head>
            <Head wide mid>
              Invited
            </Head>
            <Head wide>Expires</Head>
            <td />
          </tr>
        </thead>
        <tbody>
          {invites.map((invite) => (
            <tr key={invite.id}>
              <th scope="row" className="wrap-anywhere">
                {invite.inviteeEmail}
                <span className="narrow small">
                  <RoleName name={invite.role.name} color={colorOf(invite.role.id)} />
                </span>
              </th>
              <td className="wide">
                <RoleName name={invite.role.name} color={colorOf(invite.role.id)} />
              </td>
              <td className="wide dim">{invite.invitedBy?.name ?? 'Somebody who has left'}</td>
              <td className="wide mid dim num nowrap">
                <DateTime at={invite.createdAt} />
              </td>
              <td className="wide num nowrap">
                <Expiry at={invite.expiresAt} />
              </td>
              <td className="r">
                <span className="row flex-nowrap! justify-end">
                  {invite.inviteUrl !== null && (
                    <CopyButton
                      className="btn sm"
                      label="Copy link"
                      text={invite.inviteUrl}
                      what={`invite link for ${invite.inviteeEmail}`}
                    />
                  )}
                  {invite.inviteUrl === null && can(viewer, 'create', 'Members') && (
                    <Resend invite={invite} />
                  )}
                  {can(viewer, 'delete', 'Members') && (
                    <Button
                      size="sm"
                      kind="danger-quiet"
                      aria-label={`Withdraw the invite of ${invite.inviteeEmail}`}
                      onClick={() => setWithdrawing(invite)}
                    >
                      Withdraw
                    </Button>
                  )}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <ConfirmDialog
        open={withdrawing !== null}
        onClose={() => setWithdrawing(null)}
        title={`Withdraw the invite of ${withdrawing?.inviteeEmail ?? ''}?`}
        text={<p>Its link stops working at once. The address can be invited again.</p>}
        act="Withdraw the invite"
        keep="Keep it"
        onConfirm={withdrawIt}
      />
    </>
  )
}

const SOON_MS = 2 * 24 * 3600 * 1000

function Expiry({ at }: { at: string }) {
  const left = Date.parse(at) - Date.now()
  if (left <= 0) return <Badge tone="remove">Expired</Badge>
  return left < SOON_MS ? (
    <Badge tone="warn">
      <DateTime at={at} />
    </Badge>
  ) : (
    <span className="dim">
      <DateTime at={at} />
    </span>
  )
}

function Resend({ invite }: { invite: Invite }) {
  const toast = useToast()
  const { busy, problem, run } = useAct()
  const mail = async () => {
    await resend(invite.id)
    toast(`The invite was mailed to ${invite.inviteeEmail} again.`)
  }
  return (
    <>
      {problem !== null && <ErrorText>{problem}</ErrorText>}
      <Button
        size="sm"
        busy={busy}
        aria-label={`Mail the invite of ${invite.inviteeEmail} again`}
        onClick={() => run(mail)}
      >
        Mail again
      </Button>
    </>
  )
}
