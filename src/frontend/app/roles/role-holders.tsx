import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { counted } from '../components/words.ts'
import type { Holders } from './queries.ts'

/** Who holds a role, by their first names, as links; the others as a link to the filtered list. */
export function RoleHolders({ roleId, holders }: { roleId: string; holders: Holders }) {
  const parts = [...membersOf(roleId, holders), ...accountsOf(roleId, holders)]
  if (parts.length === 0) return <>Nobody holds this role.</>
  return (
    <>
      {parts.map(({ key, link }, place) => (
        <Fragment key={key}>
          {place === 0 ? '' : place === parts.length - 1 ? ' and ' : ', '}
          {link}
        </Fragment>
      ))}
    </>
  )
}

type Part = { key: string; link: ReactNode }

function membersOf(roleId: string, { members }: Holders): Part[] {
  if (members === null) return []
  const more = members.total - members.named.length
  const named = members.named.map(({ id, name }) => ({
    key: id,
    link: (
      <Link to="/members/$memberId/access" params={{ memberId: id }}>
        {name}
      </Link>
    ),
  }))
  const others = {
    key: 'members',
    link: (
      <Link to="/members" search={{ role: roleId }}>
        {counted(more, 'more member')}
      </Link>
    ),
  }
  return more > 0 ? [...named, others] : named
}

function accountsOf(roleId: string, { accounts }: Holders): Part[] {
  if (accounts === null) return []
  const more = accounts.total - accounts.named.length
  const named = accounts.named.map(({ id, name }) => ({
    key: id,
    link: (
      <>
        the service account{' '}
        <Link to="/service-accounts/$accountId/tokens" params={{ accountId: id }}>
          {name}
        </Link>
      </>
    ),
  }))
  const others = {
    key: 'accounts',
    link: (
      <Link to="/service-accounts" search={{ role: roleId }}>
        {counted(more, 'more service account')}
      </Link>
    ),
  }
  return more > 0 ? [...named, others] : named
}

/** How many hold a role, of those whom the viewer may read; null while that is not known. */
export const countOf = (holders: Holders | undefined): number | null =>
  holders === undefined ? null : (holders.members?.total ?? 0) + (holders.accounts?.total ?? 0)
