import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { can } from '../api/me.ts'
import { SearchFilter, type SearchOption } from '../components/search-filter.tsx'
import { nameOf } from '../members/names.ts'
import { useViewer } from '../shell/viewer.ts'
import { textIn } from './facts.ts'
import { nameQuery } from './names.ts'
import { readEntries } from './queries.ts'
import { removedQuery } from './removed.ts'

type ActorFilterProps = { actor: string | undefined; onChange: (actor: string | null) => void }

const SHOWN = 30

/** Filters by who did it: people and machines, found by their names, also those that are gone. */
export function ActorFilter({ actor, onChange }: ActorFilterProps) {
  const viewer = useViewer()
  const [text, setText] = useState('')
  const [isOpened, setOpened] = useState(false)
  const readsMembers = can(viewer, 'read', 'Members')
  const readsAccounts = can(viewer, 'read', 'ServiceAccounts')
  const { data: options = [] } = useQuery({
    queryKey: ['audit', 'actors', text],
    queryFn: () => findActors(text, readsMembers, readsAccounts),
    enabled: actor === undefined,
    placeholderData: (before) => before,
  })
  const { data: removed = [] } = useQuery({ ...removedQuery, enabled: actor === undefined && isOpened })
  const member = useQuery({
    ...nameQuery('member', actor ?? ''),
    enabled: actor !== undefined && readsMembers,
  })
  const account = useQuery({
    ...nameQuery('service_account', actor ?? ''),
    enabled: actor !== undefined && readsAccounts && member.data === null,
  })
  const former = useQuery({
    queryKey: ['audit', 'former actor', actor],
    queryFn: ({ signal }) => lastNameOf(actor ?? '', signal),
    enabled: actor !== undefined && !(member.isLoading || account.isLoading || member.data || account.data),
  })
  if (!readsMembers && !readsAccounts && actor === undefined) return null
  const chosen = actor === undefined ? null : (member.data ?? account.data ?? former.data ?? actor)
  return (
    <SearchFilter
      label="Who"
      chosen={chosen}
      options={[...options, ...removed.filter(({ label }) => isNamed(label, text))]}
      onChange={onChange}
      onSearch={setText}
      onOpen={() => setOpened(true)}
    />
  )
}

const isNamed = (name: string, text: string): boolean =>
  name.toLowerCase().includes(text.trim().toLowerCase())

/** The name that somebody had in the newest entry of theirs, who may be gone. */
async function lastNameOf(actor: string, signal: AbortSignal): Promise<string | null> {
  const { data } = await readEntries({ actor_id: actor, limit: 1 }, signal)
  return textIn(data[0]?.actorMetadata ?? null, 'name')
}

async function findActors(text: string, members: boolean, accounts: boolean): Promise<SearchOption[]> {
  const query = { limit: SHOWN, ...(text !== '' && { q: text }) }
  const [people, machines] = await Promise.all([
    members ? answer(api.v1.members.get({ query })) : { data: [] },
    accounts ? answer(api.v1['service-accounts'].get({ query })) : { data: [] },
  ])
  return [
    ...people.data.map((member) => ({
      value: member.id,
      label: nameOf(member),
      icon: 'people' as const,
      note: member.email,
    })),
    ...machines.data.map(({ id, name }) => ({ value: id, label: name, icon: 'machine' as const })),
  ]
}
