import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'

const PAUSE_MS = 250

/**
 * The text of a search that mirrors the address: it is typed at once, and reaches the address after a pause. A change of
 * the address, by going back, reaches the text. Whoever is on the way to another page meanwhile gets there: the text is
 * dropped.
 */
export function useSearchText(
  inAddress: string,
  toAddress: (text: string) => void,
  pause = PAUSE_MS,
): [string, (text: string) => void] {
  const router = useRouter()
  const [text, setText] = useState(inAddress)
  const sent = useRef(inAddress)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  useEffect(() => {
    if (inAddress === sent.current) return
    sent.current = inAddress
    setText(inAddress)
  }, [inAddress])
  const type = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const { location, resolvedLocation } = router.state
      if (location.pathname !== resolvedLocation?.pathname) return
      sent.current = next.trim()
      toAddress(sent.current)
    }, pause)
  }
  return [text, type]
}
