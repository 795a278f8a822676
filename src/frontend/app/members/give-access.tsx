import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { actorHasGlobalAccess } from '../../../core/access.ts'
import { ChangeWords } from '../access/change-words.tsx'
import { changesByApp, openIn, wholeAccess } from '../access/draft.ts'
import { type AccessApp, mergeApps } from '../access/matrix.ts'
import { accessQuery, everythingQuery, ownAccessQuery, saveAccess } from '../access/queries.ts'
import { onLatest } from '../api/latest.ts'
import { asRoleHolder } from '../api/me.ts'
import { Button } from '../components/button.tsx'
import { Cell } from '../components/cell.tsx'
import { SearchInput } from '../components/field.tsx'
import { counted } from '../components/words.ts'
import { useViewer } from '../shell/viewer.ts'
import { firstNameOf } from './names.ts'
import type { Member } from './queries.ts'

const SHOWN = 30

/** Opens environments, by their ids with those of their apps, to a member; what it can open already stays. */
export const giveAccess = (member: Member, environments: ReadonlyMap<string, string>): Promise<unknown> =>
  // What is added goes well with whatever was changed in between.
  onLatest(accessQuery('member', member.id).queryFn, (latest, etag) => {
    const added = [...environments].map(([id, appId]) => ({
      id: appId,
      name: '',
      environments: [{ id, name: '', envType: '' }],
    }))
    const apps = mergeApps(latest.apps, ...added.map((app) => [app]))
    const wanted = new Map([...environments.keys()].map((id) => [id, true]))
    return saveAccess('member', member.id)(wholeAccess(apps, openIn(latest.apps), wanted), etag)
  })

type GiveAccessProps = {
  members: readonly Member[]
  onCancel: () => void
  onGive: (environments: ReadonlyMap<string, string>) => void
}

/** Chooses the environments that all selected members are to open. */
export function GiveAccess({ members, onCancel, onGive }: GiveAccessProps) {
  const viewer = useViewer()
  const isGlobal = actorHasGlobalAccess(asRoleHolder(viewer))
  const { data: apps = [] } = useQuery(isGlobal ? everythingQuery(viewer) : ownAccessQuery(viewer)) as {
    data?: readonly AccessApp[]
  }
  const [search, setSearch] = useState('')
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map())
  const found = apps.filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()))
  const toggle = (appId: string, id: string) => {
    const next = new Map(chosen)
    if (!next.delete(id)) next.set(id, appId)
    setChosen(next)
  }
  const name =
    members.length === 1 && members[0] !== undefined
      ? firstNameOf(members[0])
      : counted(members.length, 'member')
  const draft = new Map([...chosen.keys()].map((id) => [id, true]))
  return (
    <section className="changes give-access" aria-label="Give access">
      <div className="tools">
        <SearchInput label="Find an app" value={search} onChange={(event) => setSearch(event.target.value)} />
        {found.length > SHOWN && (
          <span className="dim small">
            The first {SHOWN} of {found.length} apps
          </span>
        )}
      </div>
      <div className="give-access-apps">
        {found.slice(0, SHOWN).map((app) => (
          <fieldset key={app.id}>
            <legend className="vh">{app.name}</legend>
            <span aria-hidden="true">{app.name}</span>
            <span className="others">
              {app.environments.map((environment) => (
                <span key={environment.id}>
                  <Cell
                    state={chosen.has(environment.id) ? 'added' : 'closed'}
                    label={`${app.name}, ${environment.name}`}
                    onToggle={() => toggle(app.id, environment.id)}
                  />
                  <span aria-hidden="true">{environment.name}</span>
                </span>
              ))}
            </span>
          </fieldset>
        ))}
        {found.length === 0 && <p className="dim">No app of yours has this name.</p>}
      </div>
      <div className="give-access-end">
        <p>
          {chosen.size === 0 ? (
            <span className="dim">What they can open already stays.</span>
          ) : (
            <ChangeWords name={name} {...changesByApp(apps, draft)} plural={members.length > 1} />
          )}
        </p>
        <div className="row">
          <Button kind="quiet" onClick={onCancel}>
            Cancel
          </Button>
          <Button
            kind="primary"
            disabledBecause={chosen.size === 0 ? 'Choose an environment first.' : null}
            onClick={() => onGive(chosen)}
          >
            Give access
          </Button>
        </div>
      </div>
    </section>
  )
}
