import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { leave } from '../api/session.ts'
import { useAct } from '../components/act.ts'
import { Key } from '../components/button.tsx'
import { ErrorText } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import type { Act } from './navigation.ts'
import { type Hit, hitsQuery } from './palette-hits.ts'
import { jobsFoundFor, type Place, pagesFor, settingsFor } from './palette-places.ts'
import { switchTheme } from './theme.ts'
import { useViewer } from './viewer.ts'

type Group = { value: string; items: Hit[] }

/** Goes to any page and starts any job. It searches names, never values. */
export function Palette({ onClose }: { onClose: () => void }) {
  const viewer = useViewer()
  const router = useRouter()
  const [text, setText] = useState('')
  // Pages and jobs follow each key at once: Enter opens what is marked.
  const wanted = text.trim()
  const { data: found = [], isFetching } = useQuery(hitsQuery(viewer, useDeferredValue(wanted)))
  const groups: Group[] = [
    { value: 'Found', items: wanted === '' ? [] : found },
    { value: 'Go to', items: pagesFor(viewer, wanted).map(hitOf) },
    { value: 'Settings', items: settingsFor(viewer, wanted).map(hitOf) },
    { value: 'Do', items: jobsFoundFor(viewer, wanted).map(hitOf) },
  ].filter(({ items }) => items.length > 0)
  const { problem, run } = useAct()
  const open = (hit: Hit) => {
    if (hit.act !== undefined) return void run(async () => ACTS[hit.act as Act]().then(onClose))
    onClose()
    router.history.push(hit.to)
  }
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Viewport className="overlay top">
          <Dialog.Popup className="dialog palette" aria-label="Search or jump to">
            <Autocomplete.Root
              open
              inline
              items={groups}
              filter={null}
              autoHighlight="always"
              value={text}
              onValueChange={setText}
            >
              <Autocomplete.Input
                className="palette-input"
                aria-label="Search or jump to"
                placeholder="A person, an app, an environment, a setting or a job"
              />
              <Autocomplete.List className="palette-list">
                {(group: Group) => (
                  <Autocomplete.Group key={group.value} items={group.items}>
                    <Autocomplete.GroupLabel className="gh">{group.value}</Autocomplete.GroupLabel>
                    <Autocomplete.Collection>
                      {(hit: Hit) => (
                        <Autocomplete.Item
                          key={hit.id}
                          value={hit}
                          className="menu-item"
                          onClick={() => open(hit)}
                        >
                          <Icon name={hit.icon} />
                          <span>
                            <Marked text={hit.label} part={wanted} />{' '}
                            {hit.detail !== undefined && <span className="dim">{hit.detail}</span>}
                          </span>
                        </Autocomplete.Item>
                      )}
                    </Autocomplete.Collection>
                  </Autocomplete.Group>
                )}
              </Autocomplete.List>
              <Autocomplete.Empty className="palette-empty">
                {isFetching ? 'Searching' : groups.length === 0 && 'Nothing has this in its name.'}
              </Autocomplete.Empty>
            </Autocomplete.Root>
            {problem !== null && <ErrorText>{problem}</ErrorText>}
            <div className="pf">
              <span>
                <Key>↑</Key> <Key>↓</Key> choose
              </span>
              <span>
                <Key>↵</Key> open
              </span>
              <span>
                <Key>Esc</Key> close
              </span>
              <span className="push">Secrets are not searched: find them in their app.</span>
            </div>
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const hitOf = ({ label, icon, to, act }: Place): Hit => ({
  id: `${to} ${label}`,
  label,
  icon,
  to,
  ...(act !== undefined && { act }),
})

const ACTS: Readonly<Record<Act, () => Promise<void>>> = {
  'sign-out': leave,
  'switch-theme': async () => switchTheme(),
}

/** A label with the part marked that was searched for. */
function Marked({ text, part }: { text: string; part: string }) {
  const start = part === '' ? -1 : text.toLocaleLowerCase().indexOf(part.toLocaleLowerCase())
  if (start < 0) return text
  const end = start + part.length
  return (
    <>
      {text.slice(0, start)}
      <mark>{text.slice(start, end)}</mark>
      {text.slice(end)}
    </>
  )
}
