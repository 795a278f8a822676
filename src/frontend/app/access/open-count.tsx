import type { OpenCount } from './cell-states.ts'

/** "2 of 3"; with a change "1 → 3 of 3". */
export function Count({ count: { before, after, of } }: { count: OpenCount }) {
  return before === after ? (
    <>
      {after} of {of}
    </>
  ) : (
    <>
      <span className="faint">
        {before} <span aria-hidden="true">→</span>
        <span className="vh">becomes</span>
      </span>{' '}
      <b>{after}</b> of {of}
    </>
  )
}
