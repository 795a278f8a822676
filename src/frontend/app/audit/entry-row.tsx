import type { Entry } from '../../../core/audit/entry.ts'
import { Icon } from '../components/icon.tsx'
import { Avatar, Badge } from '../components/pieces.tsx'
import { EntryDetails } from './entry-details.tsx'
import type { NameOf } from './facts.ts'
import { Sentence } from './sentence.tsx'
import { actorOf, isRefused, sentenceOf } from './sentences.ts'

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })

type EntryRowProps = { entry: Entry; nameOf: NameOf; open: boolean; onToggle: () => void }

/** One entry: when, who, what and where in a sentence; open, it shows everything that is known of it. */
export function EntryRow({ entry, nameOf, open, onToggle }: EntryRowProps) {
  const time = clock.format(new Date(entry.timestamp))
  const actor = actorOf(entry)
  return (
    <li className={open ? 'entry open' : 'entry'} id={`entry-${entry.id}`}>
      <time className="num faint" dateTime={entry.timestamp}>
        {time}
      </time>
      <Avatar name={actor} machine={entry.actorType !== 'user'} />
      <p>
        <b>{actor}</b> <Sentence pieces={sentenceOf(entry, nameOf)} />
        {entry.count > 1 && <span className="num faint"> ×{entry.count}</span>}
      </p>
      {isRefused(entry) && (
        <Badge tone="remove">{entry.eventType.endsWith('_refused') ? 'Refused' : 'Failed'}</Badge>
      )}
      <button
        type="button"
        className="btn quiet icon"
        aria-expanded={open}
        aria-label={`Details of the entry at ${time}, ${actor}`}
        onClick={onToggle}
      >
        <Icon name={open ? 'down' : 'right'} small />
      </button>
      {open && <EntryDetails entry={entry} nameOf={nameOf} />}
    </li>
  )
}
