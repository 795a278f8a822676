import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Button } from '../components/button.tsx'

type PanelFrameProps = { title: string; onClose: () => void; children: ReactNode; onSubmit?: () => void }

/** A part of the page in which something is entered. It takes the focus, Esc leaves it, ⌘↵ submits it. */
export function PanelFrame({ title, onClose, children, onSubmit }: PanelFrameProps) {
  const id = useId()
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    const before = document.activeElement
    section.current?.querySelector<HTMLElement>('input,textarea,button.select')?.focus()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <section
      ref={section}
      className="panel"
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.defaultPrevented) return
        if (event.key === 'Escape') onClose()
        else if (event.key === 'Enter' && (event.metaKey || event.ctrlKey) && onSubmit !== undefined)
          onSubmit()
        else return
        event.preventDefault()
        event.stopPropagation()
      }}
    >
      <div className="row panel-head">
        <h2 id={id}>{title}</h2>
        <Button
          kind="quiet"
          className="push"
          icon="x"
          iconOnly
          aria-label={`Close: ${title}`}
          onClick={onClose}
        />
      </div>
      {children}
    </section>
  )
}
