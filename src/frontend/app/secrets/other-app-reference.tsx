import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Reference } from '../../../core/plain-secrets/reference-syntax.ts'
import { answer, api } from '../api/client.ts'
import { messageOf } from '../api/errors.ts'
import { Broken } from './broken-reference.tsx'

/** A reference to a secret of another app. It is looked up only where its value is shown. */
export function OtherAppReference({ written, reference }: { written: string; reference: Reference }) {
  const { data } = useQuery({
    queryKey: ['secrets', 'referenced', reference],
    queryFn: () => lookUp(reference),
    gcTime: 0,
    staleTime: 60_000,
    retry: false,
  })
  if (data === undefined) return <span className="ref">{written}</span>
  if (typeof data === 'string') return <Broken written={written} why={data} />
  return (
    <Link className="ref" to="/apps/$appId/secrets/$secretId" params={data}>
      {written}
    </Link>
  )
}

/** Where the referenced secret is, or a sentence that says what is missing. */
async function lookUp({
  app,
  environment,
  path,
  key,
}: Reference): Promise<{ appId: string; secretId: string } | string> {
  const { data: apps } = await answer(api.v1.apps.get({ query: {} }))
  const found = apps.find(({ name }) => name.toLowerCase() === app?.toLowerCase())
  if (found === undefined) return `There is no app ${app} that you can open.`
  const where = found.environments.find(({ name }) => name.toLowerCase() === environment?.toLowerCase())
  if (where === undefined) return `You can open no environment ${environment} of ${found.name}.`
  if (!found.sseEnabled)
    return `Server-side encryption is off for ${found.name}, so the server can’t follow this reference.`
  try {
    const secrets = await answer(
      api.v1.secrets.get({ query: { app_id: found.id, env: where.name, path, key, raw: 'true' } }),
    )
    const secretId = secrets.find((secret) => secret.key === key)?.id
    return secretId === undefined
      ? `${where.name} of ${found.name} has no ${key} at ${path}.`
      : { appId: found.id, secretId }
  } catch (error) {
    return messageOf(error)
  }
}
