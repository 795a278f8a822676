import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Button } from '../components/button.tsx'

type PanelFrameProps = {
  title: string
  onClose: () => void
  children: ReactNode
  onSubmit: () => void
  /** The button that submits it. */
  act: ReactNode
  /** What is said beside the buttons. */
  note?: ReactNode
}

/** A part of the page in which something is entered. It takes the focus, Esc leaves it, ⌘↵ submits it. */
export function PanelFrame({ title, onClose, children, onSubmit, act, note }: PanelFrameProps) {
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
        else if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) onSubmit()
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
      <div className="row panel-acts">
        {note !== undefined && <span className="dim small mr-auto">{note}</span>}
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
        {act}
      </div>
    </section>
  )
}
