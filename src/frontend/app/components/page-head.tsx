import { Link, type LinkProps } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'

type PageHeadProps = {
  title: string
  /** One or two sentences that say what the page is for. */
  text?: ReactNode
  /** Where the page belongs, below the first level. */
  crumbs?: readonly { label: string; to: LinkProps['to']; params?: Record<string, string> }[]
  /** What stands left of the title. */
  mark?: ReactNode
  children?: ReactNode
}

/** The head of a page: where it belongs, its title, what it is for and its acts. Also names the browser's tab. */
export function PageHead({ title, text, crumbs = [], mark, children }: PageHeadProps) {
  useTitle(title)
  return (
    <>
      {crumbs.length > 0 && (
        <nav className="crumbs" aria-label="Breadcrumb">
          {crumbs.map(({ label, to, params }) => (
            <span key={label} className="row gap-1.5!">
              <Link to={to as string} params={(params ?? {}) as never}>
                {label}
              </Link>
              <span aria-hidden="true">/</span>
            </span>
          ))}
          <span>{title}</span>
        </nav>
      )}
      <div className="head">
        <div className={mark === undefined ? undefined : 'row flex-nowrap! gap-3.5!'}>
          {mark}
          <div>
            <h1>{title}</h1>
            {text !== undefined && <p>{text}</p>}
          </div>
        </div>
        {children !== undefined && <div className="row">{children}</div>}
      </div>
    </>
  )
}

/** Names the browser's tab after the page. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Keyward`
  }, [title])
}

export type Tab = {
  label: string
  to: LinkProps['to']
  params?: Record<string, string>
  count?: number | undefined
}

/** The parts of a thing: links, each with its address; false is left out. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly (Tab | false)[] }) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(
        (tab) =>
          tab !== false && (
            <Link
              key={tab.label}
              to={tab.to as string}
              params={(tab.params ?? {}) as never}
              activeOptions={{ exact: false, includeSearch: false }}
              activeProps={{ 'aria-current': 'page' }}
            >
              {tab.label}
              {tab.count !== undefined && <span className="faint num"> {tab.count}</span>}
            </Link>
          ),
      )}
    </nav>
  )
}

type SegmentsProps<V extends string> = {
  label: string
  value: V
  options: readonly { value: V; label: string; count?: number }[]
  onChange: (value: V) => void
}

/** One of two to five views of the same thing. */
export function Segments<V extends string>({ label, value, options, onChange }: SegmentsProps<V>) {
  return (
    <div className="seg" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
          {option.count !== undefined && <span className="num faint">{option.count}</span>}
        </button>
      ))}
    </div>
  )
}
