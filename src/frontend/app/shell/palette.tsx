import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { Key } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { type Entry, jobsFor, navigationFor } from './navigation.ts'
import { type Hit, hitsQuery } from './palette-hits.ts'
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
    { value: 'Go to', items: matching(navigationFor(viewer).flat(), wanted) },
    { value: 'Do', items: matching(jobsFor(viewer), wanted) },
  ].filter(({ items }) => items.length > 0)
  const open = (hit: Hit) => {
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
                placeholder="A person, a machine, an app, a role, a page or a job"
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
              <span className="push">Names only. Values are never searched.</span>
            </div>
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const matching = (entries: readonly Entry[], text: string): Hit[] =>
  entries
    .filter(({ label }) => label.toLocaleLowerCase().includes(text.toLocaleLowerCase()))
    .map(({ label, icon, to }) => ({ id: to, label, icon, to }))

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
