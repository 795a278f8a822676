import { useEffect, useRef } from 'react'

const KEY = 'keyward-single-keys'

/** Whether single keys start acts; people who dictate or press keys by accident switch them off in the settings. */
export const singleKeysAreOn = (): boolean => localStorage.getItem(KEY) !== 'off'

/** Switches single keys on or off, in this browser. */
export const setSingleKeys = (on: boolean): void => localStorage.setItem(KEY, on ? 'on' : 'off')

/**
 * Does something at a key: a single one such as `n` or `/`, or with `mod+` (⌘ or Ctrl). Single keys are off while
 * somebody types or a dialog is open. The last one that was mounted gets the key.
 */
export function useShortcut(keys: string, act: () => void): void {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    const run = () => latest.current()
    const entry = { keys, run }
    shortcuts.push(entry)
    return () => {
      shortcuts.splice(shortcuts.indexOf(entry), 1)
    }
  }, [keys])
}

const shortcuts: { keys: string; run: () => void }[] = []

window.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.altKey || event.isComposing) return
  const hasModifier = event.metaKey || event.ctrlKey
  const keys = (hasModifier ? 'mod+' : '') + event.key.toLowerCase()
  if (
    !hasModifier &&
    (isTyping(event.target) || !singleKeysAreOn() || document.querySelector('[role=dialog]'))
  )
    return
  const shortcut = shortcuts.findLast((entry) => entry.keys === keys)
  if (shortcut === undefined) return
  event.preventDefault()
  shortcut.run()
})

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  (target as HTMLInputElement).type !== 'checkbox'
