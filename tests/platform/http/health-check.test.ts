import { afterEach, expect, test } from 'bun:test'
import { healthProblem, waitForSchemaVia } from '../../../src/platform/http/health-check.ts'
import { recordedLog } from '../../support/log-recorder.ts'

type Answers = Readonly<Record<string, () => Response | Promise<Response>>>

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

function serve(answers: Answers, hostname = '127.0.0.1') {
  const server = Bun.serve({
    port: 0,
    hostname,
    fetch: (request) =>
      answers[new URL(request.url).pathname]?.() ?? Response.json({ error: 'no' }, { status: 404 }),
  })
  stops.push(() => void server.stop(true))
  return { port: server.port ?? 0, url: `http://${hostname}:${server.port}` }
}

const alive = () => Response.json({ status: 'alive' })
const ready = (schema: unknown) => Response.json({ status: 'ready', schema })
const nowhere = { port: 1, bindAddress: '127.0.0.1' }

test.each([
  ['/service/health/', '127.0.0.1', '127.0.0.1'],
  ['/api/health', '127.0.0.1', '0.0.0.0'],
  ['/service/health/', '[::1]', '::1'],
  ['/api/health', '[::1]', '::'],
])('a component that answers %s on %s is alive, when it binds %s', async (path, hostname, bindAddress) => {
  const { port } = serve({ [path]: alive }, hostname)
  expect(await healthProblem(null, { port, bindAddress })).toBeNull()
})

test('a ready backend is alive', async () => {
  const { url } = serve({ '/service/ready/': () => ready(3) })
  expect(await healthProblem(`${url}/service/ready/`, nowhere)).toBeNull()
})

test('a 200 of something else is not alive, nor is a refusal or silence', async () => {
  const { url } = serve({
    '/page': () => new Response('<p>alive</p>'),
    '/json': () => Response.json({ status: 'ok' }),
    '/null': () => Response.json(null),
    '/busy': () => Response.json({ status: 'alive' }, { status: 503 }),
  })
  for (const path of ['/page', '/json', '/null']) {
    expect(await healthProblem(url + path, nowhere)).toBe(`${url}${path} answers 200, not that it is alive.`)
  }
  expect(await healthProblem(`${url}/busy`, nowhere)).toContain('answers 503')
  expect(await healthProblem(`${url}/none`, nowhere)).toContain('answers 404')
  expect(await healthProblem(null, nowhere)).toBe('http://127.0.0.1:1/service/health/ does not answer.')
})

test('a wait via a backend ends once its schema is there, and tells each reason once', async () => {
  const refusal = () => Response.json({ error: 'The database cannot be reached.' }, { status: 503 })
  const script = [refusal, refusal, () => Response.json({ status: 'ready' }), () => ready(2), () => ready(3)]
  const { url } = serve({ '/ready': () => (script.shift() ?? alive)() })
  const { log, lines } = recordedLog()
  await waitForSchemaVia(`${url}/ready`, 3, { timeoutSeconds: 5, log, pollSeconds: 0.01 })
  expect(script).toEqual([])
  expect(lines.map((line) => JSON.parse(line).reason)).toEqual([
    `${url}/ready answers 503: The database cannot be reached.`,
    `${url}/ready does not say which schema its database has.`,
    `${url}/ready is ready on schema version 2, and version 3 is needed.`,
  ])
})

test('a schema that is newer than needed will do, and an invalid readiness response is refused', async () => {
  const { url } = serve({ '/newer': () => ready(9), '/health': alive })
  const { log } = recordedLog()
  await waitForSchemaVia(`${url}/newer`, 3, { timeoutSeconds: 0, log })
  await expect(waitForSchemaVia(`${url}/health`, 3, { timeoutSeconds: 0, log })).rejects.toThrow(
    `Gave up after 0 s. ${url}/health answers 200: it is not ready.`,
  )
})

test('waiting for an unreachable backend times out, or when it is aborted', async () => {
  const { log } = recordedLog()
  const waiting = (options: object) =>
    waitForSchemaVia('http://127.0.0.1:1/', 1, { timeoutSeconds: 0.05, log, pollSeconds: 0.01, ...options })
  await expect(waiting({})).rejects.toThrow('Gave up after 0.05 s. http://127.0.0.1:1/ does not answer.')
  const aborted = AbortSignal.abort(new Error('enough'))
  await expect(waiting({ timeoutSeconds: 9, signal: aborted })).rejects.toThrow('enough')
})
