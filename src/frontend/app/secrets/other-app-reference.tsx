import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Reference } from '../../../core/plain-secrets/reference-syntax.ts'
import { type AnswerOf, answer, api } from '../api/client.ts'
import { useAct } from '../components/act.ts'
import { Broken } from './broken-reference.tsx'
import { appNamesQuery } from './queries.ts'

type ReferenceProps = { written: string; reference: Reference }

/** A reference to a secret of another app. That secret is read by a click only, for the audit log tells who read it. */
export function OtherAppReference({ written, reference }: ReferenceProps) {
  const { data: apps } = useQuery(appNamesQuery)
  if (apps === undefined) return <span className="ref">{written}</span>
  const place = placeOf(reference, apps)
  if (typeof place === 'string') return <Broken written={written} why={place} />
  return <PlacedReference written={written} place={place} />
}

type App = AnswerOf<typeof api.v1.apps.get>['data'][number]
type Place = Readonly<{ app: App; environment: string; path: string; key: string }>

/** Where the referenced secret should be, or a sentence that says what is missing. */
function placeOf({ app: name, environment, path, key }: Reference, apps: readonly App[]): Place | string {
  const app = apps.find((one) => one.name.toLowerCase() === name?.toLowerCase())
  if (app === undefined) return `There is no app ${name} that you can open.`
  const where = app.environments.find((one) => one.name.toLowerCase() === environment?.toLowerCase())
  if (where === undefined) return `You can open no environment ${environment} of ${app.name}.`
  if (!app.sseEnabled)
    return `Server-side encryption is off for ${app.name}, so the server can’t follow this reference.`
  return { app, environment: where.name, path, key }
}

function PlacedReference({ written, place }: { written: string; place: Place }) {
  const { busy, problem, run } = useAct()
  const navigate = useNavigate()
  const follow = async () => {
    const params = { appId: place.app.id, secretId: await secretIdAt(place) }
    await navigate({ to: '/apps/$appId/secrets/$secretId', params })
  }
  return (
    <button type="button" aria-busy={busy || undefined} onClick={() => run(follow)}>
      {problem === null ? <span className="ref">{written}</span> : <Broken written={written} why={problem} />}
    </button>
  )
}

async function secretIdAt({ app, environment, path, key }: Place): Promise<string> {
  const query = { app_id: app.id, env: environment, path, key, raw: 'true' } as const
  const secrets = await answer(api.v1.secrets.get({ query }))
  const secret = secrets.find((one) => one.key === key)
  if (secret === undefined) throw new Error(`${environment} of ${app.name} has no ${key} at ${path}.`)
  return secret.id
}
