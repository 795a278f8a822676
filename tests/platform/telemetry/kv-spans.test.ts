import { expect, test } from 'bun:test'
import { fakeClock } from '../../../src/platform/clock.ts'
import { openKv } from '../../../src/platform/kv/open.ts'
import { type Attributes, setTracing } from '../../../src/platform/tracing.ts'
import { recordedLog } from '../../support/log-recorder.ts'

test('a command of the store is a call, named without its key', async () => {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => Response.json([{ result: [1, 1000] }]),
  })
  const url = `http://127.0.0.1:${server.port}`
  const kv = openKv({ kind: 'upstash', url, token: 'needle' }, fakeClock(), recordedLog().log, 2000)
  const spans: { name: string; attributes: Attributes; failed: string | null; isOver: boolean }[] = []
  setTracing({
    follow: () => Promise.reject(new Error('nothing is followed')),
    traceId: () => null,
    begin: (name, attributes) => {
      const span = { name, attributes, failed: null as string | null, isOver: false }
      spans.push(span)
      return {
        describe: () => {},
        fail: (reason) => {
          span.failed = reason
        },
        end: () => {
          span.isOver = true
        },
      }
    },
  })
  try {
    await kv.increment('rate:network:needle', 60)
    await server.stop(true)
    await kv.publish('needle')
  } finally {
    setTracing(null)
    await kv.close()
  }
  expect(spans).toEqual([
    {
      name: 'EVAL',
      attributes: { 'db.system.name': 'redis', 'db.operation.name': 'EVAL' },
      failed: null,
      isOver: true,
    },
    expect.objectContaining({ name: 'PUBLISH', failed: expect.any(String), isOver: true }),
  ])
  expect(JSON.stringify(spans)).not.toContain('needle')
})
