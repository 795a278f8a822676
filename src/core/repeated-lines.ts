import type { Log } from '../platform/log.ts'

const PAUSE_MILLISECONDS = 1000

/** A timer that has not run by then never will: on some runtimes it ends with the request that it was set in. */
const TIMER_LOST_MILLISECONDS = 5000

/**
 * Writes a line that requests may cause in any number: of the same message and `code` at most one a second. Those in
 * between are counted, and the next line has their number as `suppressed`, with the fields of the last one. Messages and
 * codes must be few: each is remembered while lines of it come.
 */
export function logRepeated(log: Log, level: Level, fields: Fields, message: string): void {
  const kind = kindsOf(log).get(keyOf(fields, message))
  if (kind === undefined || performance.now() - kind.since > TIMER_LOST_MILLISECONDS) {
    log[level](fields, message)
    pause(log, level, fields, message)
    return
  }
  kind.suppressed++
  kind.last = fields
}

type Level = 'info' | 'warn' | 'error'
type Fields = Readonly<Record<string, unknown>>
type Kind = { suppressed: number; last: Fields; since: number }

const keyOf = ({ code }: Fields, message: string): string => `${code} ${message}`

const kindsByLog = new WeakMap<Log, Map<string, Kind>>()

function kindsOf(log: Log): Map<string, Kind> {
  const known = kindsByLog.get(log)
  if (known !== undefined) return known
  const kinds = new Map<string, Kind>()
  kindsByLog.set(log, kinds)
  return kinds
}

function pause(log: Log, level: Level, fields: Fields, message: string): void {
  const kinds = kindsOf(log)
  const kind: Kind = { suppressed: 0, last: fields, since: performance.now() }
  kinds.set(keyOf(fields, message), kind)
  const end = () => {
    kinds.delete(keyOf(fields, message))
    if (kind.suppressed === 0) return
    // The timer runs in the trace of the first line.
    log[level]({ ...kind.last, traceId: undefined, suppressed: kind.suppressed - 1 }, message)
    pause(log, level, fields, message)
  }
  // The end of the process must not wait for it. Other runtimes give a number.
  ;(setTimeout(end, PAUSE_MILLISECONDS) as Partial<NodeJS.Timeout>).unref?.()
}
