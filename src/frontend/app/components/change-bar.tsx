import type { ReactNode } from 'react'
import { useShortcut } from '../shell/shortcuts.ts'
import { Button } from './button.tsx'
import { Banner } from './pieces.tsx'

type ChangeBarProps = {
  /** Says in words what will be different: "Ana gains Staging of Ledger". */
  sentence: ReactNode
  /** What follows from it, or what stays. */
  consequence?: ReactNode
  busy: boolean
  /** The API's sentence where it refused the change. */
  refusal?: string | null
  disabledBecause?: string | null
  onApply: () => void
  onDiscard: () => void
}

/** Nothing is applied before it has been said in words. Stands at the bottom while something differs. */
export function ChangeBar({
  sentence,
  consequence,
  busy,
  refusal = null,
  disabledBecause = null,
  onApply,
  onDiscard,
}: ChangeBarProps) {
  useShortcut('mod+enter', () => !busy && disabledBecause === null && onApply())
  return (
    <div className="change-bar-place">
      {refusal !== null && <Banner tone="remove">{refusal}</Banner>}
      <section className="changes" aria-label="Changes not yet applied">
        <div>
          <p>{sentence}</p>
          {consequence !== undefined && <p>{consequence}</p>}
        </div>
        <div className="row">
          <Button kind="quiet" onClick={onDiscard}>
            Discard
          </Button>
          <Button kind="primary" hint="⌘↵" busy={busy} disabledBecause={disabledBecause} onClick={onApply}>
            Apply
          </Button>
        </div>
      </section>
    </div>
  )
}
