import { useEffect, useRef, useState } from 'react'
import { clearLater } from './clipboard.ts'
import { Icon } from './icon.tsx'

const COPIED_MS = 2_000

/** A text to be copied; `secret` ones leave the clipboard after a minute, where the browser allows that. */
export function CopyField({
  label,
  text,
  secret = false,
}: {
  label: string
  text: string
  secret?: boolean
}) {
  return (
    <div className="copy" role="group" aria-label={label}>
      <code>{text}</code>
      <CopyButton text={text} what={label} secret={secret} />
    </div>
  )
}

type CopyButtonProps = { text: string; what: string; secret?: boolean; className?: string; label?: string }

/** Copies a text and says so. */
export function CopyButton({ text, what, secret = false, className, label = 'Copy' }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    if (secret) clearLater(text)
    setCopied(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setCopied(false), COPIED_MS)
  }
  return (
    <button
      type="button"
      className={className}
      onClick={copy}
      aria-label={isCopied ? `Copied: ${what}` : `${label}: ${what}`}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </button>
  )
}
