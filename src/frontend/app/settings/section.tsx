import type { ReactNode } from 'react'

type SectionProps = { title: string; text?: ReactNode; act?: ReactNode; children?: ReactNode }

/** A part of the settings: what it is, what it means, and its act. */
export function Section({ title, text, act, children }: SectionProps) {
  return (
    <section className="section" aria-label={title}>
      <div className="row mb-1">
        <h2>{title}</h2>
        {act !== undefined && <div className="push">{act}</div>}
      </div>
      {text !== undefined && <p className="dim mb-4 max-w-[68ch]">{text}</p>}
      {children}
    </section>
  )
}
