import { type Attributes, setTracing } from '../../src/platform/tracing.ts'

export type RecordedCall = { name: string; attributes: Attributes; failed: string | null; isOver: boolean }

/**
 * Turns a tracing on that keeps what is called, as if all of it belonged to one request; `stop` turns it off. With
 * `requests` it keeps requests, too, which otherwise fail.
 */
export function recordCalls({ requests = false } = {}): { calls: RecordedCall[]; stop: () => void } {
  const calls: RecordedCall[] = []
  const begin = (name: string, attributes: Attributes) => {
    const call: RecordedCall = { name, attributes, failed: null, isOver: false }
    calls.push(call)
    return {
      describe: (described: string, more: Attributes) => {
        if (requests) Object.assign(call, { name: described, attributes: { ...call.attributes, ...more } })
      },
      fail: (reason: string) => {
        call.failed = reason
      },
      end: () => {
        call.isOver = true
      },
    }
  }
  setTracing({
    follow: (_kind, name, _traceparent, work) =>
      requests ? work(begin(name, {})) : Promise.reject(new Error('nothing is followed')),
    traceId: () => null,
    begin,
  })
  return { calls, stop: () => setTracing(null) }
}
