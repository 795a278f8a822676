import { cpus, totalmem } from 'node:os'
import { clientKeys } from './client-keys.ts'
import { consoleInBrowser } from './console.ts'
import { edge } from './edge.ts'
import { grants } from './grants.ts'
import { growth } from './growth.ts'
import { memory, start } from './processes.ts'
import { endReport, reportAsJson } from './report.ts'
import { reads, signIns, writes } from './requests.ts'
import { scrolling } from './scrolling.ts'
import { secrets } from './secrets.ts'

/*
 * What Keyward's own work costs, beside what cannot be left out: rates are measured in one run and in turns, so that the
 * machine's speed and noise are in all of them. Prints; judges nothing. Without names it measures all but `growth`, which
 * makes a large organisation first, and `console` and `scrolling`, which need Chromium.
 */

const PARTS = {
  reads,
  'client-keys': clientKeys,
  writes,
  secrets,
  'sign-ins': signIns,
  grants,
  console: consoleInBrowser,
  scrolling,
  start,
  memory,
  edge,
  growth,
}
type Part = keyof typeof PARTS

/** Measured where they are named alone: they take long, or what not every machine has. */
const BY_NAME: ReadonlySet<Part> = new Set(['growth', 'console', 'scrolling', 'edge'])

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const unknown = names.find((name) => !(name in PARTS))
if (unknown !== undefined) throw new Error(`${unknown} is none of ${Object.keys(PARTS).join(', ')}`)

const [cpu] = cpus()
const about = {
  date: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} cores (${cpu?.model ?? 'unknown'}), ${Math.round(totalmem() / 1024 ** 3)} GiB`,
  runtime: `Bun ${Bun.version}, with clients and the embedded PostgreSQL on the same machine`,
}
if (process.argv.includes('--json')) reportAsJson()
else process.stdout.write(`${Object.values(about).join('\n')}\n`)

const parts =
  names.length > 0 ? (names as Part[]) : (Object.keys(PARTS) as Part[]).filter((part) => !BY_NAME.has(part))
for (const part of parts) await PARTS[part]()
endReport(about)
process.exit(0)
