import type { RuntimeName } from '../support/runtimes.ts'

/**
 * The files of the tests of the API that are run over HTTP against every runtime: each kind of request, races included.
 * All others can be run by hand: `KEYWARD_TEST_RUNTIME=workerd bun run test tests/backend/v1`.
 */
export const API_TESTS: readonly string[] = [
  'tests/backend/http/json.test.ts',
  'tests/backend/http/query.test.ts',
  'tests/backend/http/validation.test.ts',
  'tests/backend/openapi/document.test.ts',
  'tests/backend/service/passkeys.test.ts',
  'tests/backend/service/password.test.ts',
  'tests/backend/v1/app-races.test.ts',
  'tests/backend/v1/invites.test.ts',
  'tests/backend/v1/roles.test.ts',
  'tests/backend/v1/secrets.test.ts',
  'tests/backend/v1/tokens.test.ts',
]

/** Tests that look into their own process, where over HTTP the backend is not: what they hold is held on Bun. */
export const WITHIN_THE_PROCESS: readonly { test: string; reason: string }[] = [
  { test: 'sends one query beside', reason: 'It counts statements.' },
  { test: 'a password is hashed for an unknown address too', reason: 'It listens to the hashing.' },
  { test: 'too many passwords at once are 429', reason: 'It holds the hashing up.' },
  { test: 'a sign-in to an unknown address is logged', reason: 'It reads the log.' },
  { test: 'the response stands if the audit entry can', reason: 'It reads the log.' },
]

export type Difference = {
  runtimes: readonly RuntimeName[]
  /** What is different, as the documentation says it. */
  what: string
  reason: string
  /** The tests of `API_TESTS` that do not hold there, by a part of their names. */
  tests: readonly string[]
}

/** Where a runtime differs from Bun. The table of docs/edge.md is made of this. */
export const DIFFERENCES: readonly Difference[] = [
  {
    runtimes: ['deno', 'workerd'],
    what: 'A Redis is used through the REST protocol of Upstash only.',
    reason: "The client for Redis' own protocol is Bun's.",
    tests: [],
  },
  {
    runtimes: ['deno', 'workerd'],
    what: 'A password that is hashed holds up the other requests of its process for about 0.1 s, and then waits for them for as long.',
    reason: 'WebAssembly runs on the thread that serves requests.',
    tests: [],
  },
  {
    runtimes: ['deno'],
    what: 'A body in chunks is a 411: it needs a Content-Length. HTTP/2 without TLS is spoken, a request without Host is answered where HOST is a loopback address, and a change that asks to upgrade its connection is a 400 without a body.',
    reason: "Deno's own server reads the connections, and takes long for many small chunks.",
    tests: [],
  },
  {
    runtimes: ['deno'],
    what: 'Idle connections are ended from 896 on, those of the site with the most first; without permission to call the C library (`--allow-ffi`) they stay open.',
    reason: 'Each may take about 0.6 MB: Deno keeps as much of the answers that a client does not read.',
    tests: [],
  },
  {
    runtimes: ['workerd'],
    what: 'Nothing is answered from memory: every read asks the database.',
    reason: 'No request may use what belongs to another.',
    tests: [],
  },
  {
    runtimes: ['workerd'],
    what: 'Each request opens connections of its own, and limits that share out work between callers count within a request.',
    reason: 'No connection may outlive its request; Hyperdrive keeps the real ones.',
    tests: [],
  },
  {
    runtimes: ['workerd'],
    what: 'A provider of single sign-on that cannot be reached stays among the ways to sign in.',
    reason: 'Nobody remembers that it did not answer.',
    tests: [],
  },
  {
    runtimes: ['workerd'],
    what: 'Requests for a mailed link to one address at once wait for each other, so that their time can tell that it has an account.',
    reason: 'They share no work, as two processes never do.',
    tests: [],
  },
  {
    runtimes: ['workerd'],
    what: 'Jobs, mail included, wait for the next minute. A round takes no new job after 50 s.',
    reason: "Nothing runs between requests but the platform's timer.",
    tests: [],
  },
  {
    runtimes: ['workerd'],
    what: 'There are no metrics for Prometheus and no traces, and SSO_CA_FILE has no effect.',
    reason: 'There is no second port, no process to count in, and fetch takes no certificate authority.',
    tests: [],
  },
]
