import { useEffect, useRef, useState } from 'react'
import { messageOf } from '../api/errors.ts'
import { csvField } from '../audit/csv.ts'
import { Button } from '../components/button.tsx'
import { download } from '../components/download.ts'
import { ErrorText } from '../components/field.tsx'
import type { AccessApp } from './matrix.ts'
import { type Pair, readPairs } from './overview-queries.ts'
import type { AccessSearch } from './search.ts'

type OverviewExportProps = { search: AccessSearch; everything: readonly AccessApp[] }

/** Downloads who can open what, with the filters of the address, as CSV: made here, page by page, from the API's answers. */
export function OverviewExport({ search, everything }: OverviewExportProps) {
  const running = useRef<AbortController>(null)
  const [count, setCount] = useState<number | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const start = async () => {
    const controller = new AbortController()
    running.current = controller
    setProblem(null)
    setCount(0)
    try {
      const types = new Map(
        everything.flatMap((app) => app.environments.map(({ id, envType }) => [id, envType])),
      )
      const pairs: Pair[] = []
      let cursor: string | null = null
      do {
        const page: Awaited<ReturnType<typeof readPairs>> = await readPairs(
          { appId: search.app, role: search.role, cursor },
          controller.signal,
        )
        pairs.push(...page.data.filter((pair) => passes(pair, search, types.get(pair.environmentId))))
        cursor = page.nextCursor ?? null
        setCount(pairs.length)
      } while (cursor !== null)
      const name = `access-${new Date().toISOString().slice(0, 10)}.csv`
      download(name, 'text/csv;charset=utf-8', accessAsCsv(pairs, types))
    } catch (error) {
      if (!controller.signal.aborted) setProblem(messageOf(error))
    }
    setCount(null)
  }
  return (
    <>
      {problem !== null && <ErrorText>{problem}</ErrorText>}
      {count !== null && (
        <span className="dim small num" role="status">
          {count} lines so far
        </span>
      )}
      <Button icon="download" busy={count !== null} onClick={start}>
        Export CSV
      </Button>
    </>
  )
}

/** Whether a pair passes the filters that the API doesn't know. */
function passes(pair: Pair, { who, type, via, q }: AccessSearch, envType: string | undefined): boolean {
  if (who !== undefined && (pair.principal.type === 'service_account') !== (who === 'machines')) return false
  if (type !== undefined && envType !== type) return false
  if (via !== undefined && pair.via !== via) return false
  return q === undefined || pair.principal.name.toLowerCase().includes(q.trim().toLowerCase())
}

const COLUMNS = [
  'kind',
  'name',
  'role',
  'app',
  'environment',
  'type',
  'via',
  'principal_id',
  'app_id',
  'environment_id',
]

function accessAsCsv(pairs: readonly Pair[], types: ReadonlyMap<string, string>): string {
  const lines = pairs.map(({ principal, appName, environmentName, via, appId, environmentId }) => [
    principal.type === 'user' ? 'person' : 'machine',
    principal.name,
    principal.role.name,
    appName,
    environmentName,
    types.get(environmentId) ?? '',
    via,
    principal.id,
    appId,
    environmentId,
  ])
  return [COLUMNS, ...lines].map((fields) => `${fields.map(csvField).join(',')}\r\n`).join('')
}
