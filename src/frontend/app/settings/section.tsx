import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'

type SectionProps = {
  title: string
  text?: ReactNode
  act?: ReactNode
  children?: ReactNode
  /** What an address names behind its `#` to lead to this part. */
  id?: string
}

/** A part of the settings: what it is, what it means, and its act. */
export function Section({ title, text, act, children, id }: SectionProps) {
  const section = useRef<HTMLElement>(null)
  const { hash } = useLocation()
  useEffect(() => {
    if (id !== undefined && hash === id) section.current?.scrollIntoView()
  }, [id, hash])
  return (
    <section className="section" aria-label={title} id={id} ref={section}>
      <div className="row mb-1">
        <h2>{title}</h2>
        {act !== undefined && <div className="push">{act}</div>}
      </div>
      {text !== undefined && <p className="dim mb-4 max-w-[68ch]">{text}</p>}
      {children}
    </section>
  )
}
