import { useMemo, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Badge, Tag } from '../components/pieces.tsx'
import { counted } from '../components/words.ts'
import { dayOf } from './details-fields.tsx'
import { type Line, lineDifference, summaryOf } from './line-difference.ts'
import type { NamedEnvironment } from './secret-rows.ts'
import type { Version } from './version.ts'

type VersionDifferenceProps = {
  appId: string
  environment: NamedEnvironment
  before: Version | null
  after: Version
  isShown: boolean
}

/** What differs between two versions; values only where they were asked for. */
export function VersionDifference({ before, after, isShown }: VersionDifferenceProps) {
  const isSealed = after.value === null || (before !== null && before.value === null)
  const lines = useMemo(
    () => (isSealed ? [] : lineDifference(before?.value ?? after.value ?? '', after.value ?? '')),
    [before, after, isSealed],
  )
  const summary = before === null ? counted(lines.length, 'line') : wordsFor(lines, before, after)
  return (
    <>
      <dl className="pair mb-4">
        <dt>Value</dt>
        <dd className={summary === 'unchanged' ? 'dim' : undefined}>
          {isSealed ? 'sealed: never shown' : summary}
        </dd>
        <Change name="Name" before={before?.key} after={after.key} />
        <Change name="Path" before={before?.path} after={after.path} />
        <Change name="Comment" before={before?.comment} after={after.comment} />
        <Change name="Type" before={before?.type} after={after.type} />
        <Change
          name="Replace by"
          before={before === null ? undefined : dayOf(before.expiresAt ?? undefined)}
          after={dayOf(after.expiresAt ?? undefined)}
        />
        <dt>Tags</dt>
        <dd>
          <Tags before={before?.tags ?? after.tags} after={after.tags} />
        </dd>
      </dl>
      {!isSealed &&
        (isShown || after.type === 'config' ? (
          <ValueLines key={`${before?.version} ${after.version}`} lines={lines} />
        ) : (
          <p className="dim hidden-value">••••••••</p>
        ))}
    </>
  )
}

const wordsFor = (lines: readonly Line[], before: Version, after: Version): string => {
  const summary = summaryOf(lines)
  return summary === 'unchanged' && before.value !== after.value ? 'the line break at the end' : summary
}

function Change({ name, before, after }: { name: string; before: string | undefined; after: string }) {
  if (
    before === after ||
    (before === undefined && name !== 'Comment') ||
    ((before ?? after) === '' && after === '')
  )
    return null
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {before === undefined ? (
          after
        ) : (
          <>
            <del>{before || 'none'}</del> <ins>{after || 'none'}</ins>
          </>
        )}
      </dd>
    </>
  )
}

function Tags({ before, after }: { before: readonly string[]; after: readonly string[] }) {
  if (before.length + after.length === 0) return <span className="dim">none</span>
  return (
    <span className="row gap-1.5!">
      {after
        .filter((tag) => before.includes(tag))
        .map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
      {after
        .filter((tag) => !before.includes(tag))
        .map((tag) => (
          <Badge key={tag} tone="add">
            + {tag}
          </Badge>
        ))}
      {before
        .filter((tag) => !after.includes(tag))
        .map((tag) => (
          <Badge key={tag} tone="remove">
            − {tag}
          </Badge>
        ))}
    </span>
  )
}

/** Drawing tens of thousands of lines freezes the page, and a value can have 65,536. */
const MOST_LINES = 2_000

/** The lines of a difference; of very many the first, and the others once they are asked for. */
function ValueLines({ lines }: { lines: readonly Line[] }) {
  const [isWhole, setWhole] = useState(false)
  if (isWhole || lines.length <= MOST_LINES) return <DrawnLines lines={lines} />
  return (
    <>
      <DrawnLines lines={lines.slice(0, MOST_LINES)} />
      <Button kind="quiet" className="mt-3" onClick={() => setWhole(true)}>
        Show all {counted(lines.length, 'line')}
      </Button>
    </>
  )
}

const SIGNS = { same: '', add: '+', remove: '−' }

function DrawnLines({ lines }: { lines: readonly Line[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
    <div className="diff" role="group" tabIndex={0} aria-label="The value, line by line">
      {lines.map(({ kind, number, parts }) => (
        <div key={`${kind} ${number}`} className={kind === 'same' ? '' : kind}>
          <span>{number}</span>
          <span>{SIGNS[kind]}</span>
          <span>
            {parts.map(({ text, isMarked }, place) =>
              // biome-ignore lint/suspicious/noArrayIndexKey: a part has nothing but its place
              isMarked ? <mark key={place}>{text}</mark> : <span key={place}>{text}</span>,
            )}
          </span>
        </div>
      ))}
    </div>
  )
}
