import { type Attributes, setTracing } from '../../src/platform/tracing.ts'

export type RecordedCall = { name: string; attributes: Attributes; failed: string | null; isOver: boolean }

/** Turns a tracing on that keeps what is called, as if all of it belonged to one request; `stop` turns it off. */
export function recordCalls(): { calls: RecordedCall[]; stop: () => void } {
  const calls: RecordedCall[] = []
  setTracing({
    follow: () => Promise.reject(new Error('nothing is followed')),
    traceId: () => null,
    begin: (name, attributes) => {
      const call: RecordedCall = { name, attributes, failed: null, isOver: false }
      calls.push(call)
      return {
        describe: () => {},
        fail: (reason) => {
          call.failed = reason
        },
        end: () => {
          call.isOver = true
        },
      }
    },
  })
  return { calls, stop: () => setTracing(null) }
}
