import { Autocomplete } from '@base-ui/react/autocomplete'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useField } from '../components/field.tsx'
import { useGrid } from './grid.ts'
import { appNamesQuery } from './queries.ts'
import {
  candidatesFor,
  insertReference,
  type OpenReference,
  openReferenceAt,
} from './reference-completion.ts'
import type { NamedEnvironment } from './secret-rows.ts'

type ReferenceInputProps = {
  label?: string
  value: string
  onChange: (value: string) => void
  environment: NamedEnvironment
  placeholder?: string
  autoFocus?: boolean
}

/** The text of a value. After `${` it offers the names that a reference can have. */
export function ReferenceInput({
  label,
  value,
  onChange,
  environment,
  placeholder = '',
  autoFocus = false,
}: ReferenceInputProps) {
  const { appId, environments, rows } = useGrid()
  const field = useField()
  const area = useRef<HTMLTextAreaElement>(null)
  const [reference, setReference] = useState<OpenReference | null>(null)
  const { data: apps = [] } = useQuery({ ...appNamesQuery, enabled: reference !== null })
  const candidates = useMemo(
    () =>
      reference === null
        ? []
        : candidatesFor(reference.typed, {
            environment,
            environments,
            rows,
            others: apps.filter(({ id }) => id !== appId),
          }),
    [reference, environment, environments, rows, apps, appId],
  )
  const isOpen = candidates.length > 0
  const caret = useRef<number | null>(null)
  // With the text that it belongs to, before the next key arrives.
  useLayoutEffect(() => {
    if (caret.current !== null) area.current?.setSelectionRange(caret.current, caret.current)
    caret.current = null
  })
  const choose = (candidate: string) => {
    if (reference === null) return
    const inserted = insertReference(value, reference, candidate)
    onChange(inserted.value)
    // What ends in a dot goes on with a name.
    setReference(openReferenceAt(inserted.value, inserted.caret))
    caret.current = inserted.caret
  }
  return (
    <Autocomplete.Root
      mode="none"
      items={candidates}
      value={value}
      autoHighlight="always"
      open={isOpen}
      onOpenChange={(open) => !open && setReference(null)}
      onValueChange={(next, { reason }) => {
        if (reason === 'item-press') return choose(next)
        if (reason !== 'input-change') return
        onChange(next)
        setReference(openReferenceAt(next, area.current?.selectionStart ?? next.length))
      }}
    >
      <Autocomplete.Input
        render={
          <textarea
            ref={area}
            {...field}
            className="input mono"
            rows={Math.min(12, Math.max(2, value.split('\n').length))}
            spellCheck={false}
            autoComplete="off"
            // biome-ignore lint/a11y/noAutofocus: the editor opens where the reader asked for it
            autoFocus={autoFocus}
          />
        }
        aria-label={label}
        placeholder={placeholder}
        onKeyDown={(event) => {
          // Without names to choose from it is plain text of several lines.
          if (!isOpen || event.metaKey || event.ctrlKey) event.preventBaseUIHandler()
          else if (event.key === 'Escape') closeNames(event, () => setReference(null))
        }}
        onBlur={() => setReference(null)}
      />
      <Autocomplete.Portal>
        <Autocomplete.Positioner className="floating" sideOffset={4} align="start">
          <Autocomplete.Popup className="menu">
            <Autocomplete.List>
              {(candidate: string) => (
                <Autocomplete.Item key={candidate} value={candidate} className="menu-item mono">
                  {candidate}
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  )
}

type BaseKeyEvent = KeyboardEvent & { preventBaseUIHandler(): void }

/** Esc closes the names first, and leaves the editor only when there are none. */
function closeNames(event: BaseKeyEvent, close: () => void): void {
  event.preventBaseUIHandler()
  event.preventDefault()
  event.stopPropagation()
  close()
}
