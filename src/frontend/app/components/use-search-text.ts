import { useEffect, useRef, useState } from 'react'

const PAUSE_MS = 250

/**
 * The text of a search that mirrors the address: it is typed at once, and reaches the address after a pause. A change of
 * the address, by going back, reaches the text.
 */
export function useSearchText(
  inAddress: string,
  toAddress: (text: string) => void,
): [string, (text: string) => void] {
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
      sent.current = next.trim()
      toAddress(sent.current)
    }, PAUSE_MS)
  }
  return [text, type]
}
