import { queryOptions } from '@tanstack/react-query'
import { answer, api, taggedAnswer } from '../api/client.ts'

/** The reader's own tokens, those that have ended included. */
export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async () => (await answer(api.v1.tokens.get({ query: {} }))).data,
})

/** The reader's own sessions. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async () => (await answer(api.service.auth.sessions.get({ query: {} }))).data,
})

/** What the reader's account has set up besides a password. */
export const factorsQuery = queryOptions({
  queryKey: ['factors'],
  queryFn: () => answer(api.service.auth['second-factor'].get()),
})

/** The reader's own passkeys. */
export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: async () => (await answer(api.service.auth.passkeys.get({ query: {} }))).data,
})

/** The reader's accounts at providers of single sign-on. */
export const identitiesQuery = queryOptions({
  queryKey: ['identities'],
  queryFn: async () => (await answer(api.service.auth.sso.identities.get())).data,
})

/** The organisation with its version. */
export const organisationQuery = queryOptions({
  queryKey: ['organisation'],
  queryFn: () => taggedAnswer(api.v1.organisation.get()),
})

/** Whether the service is ready, and what is missing. */
export const readinessQuery = queryOptions({
  queryKey: ['ready'],
  queryFn: async () => {
    const response = await fetch('/service/ready/')
    return { isReady: response.ok, body: (await response.json()) as { error?: string } }
  },
})

/** Who can become the Owner: the Admins. */
export const candidatesQuery = queryOptions({
  queryKey: ['members', 'admins'],
  queryFn: async () => {
    const roles = (await answer(api.v1.roles.get({ query: {} }))).data
    const admin = roles.find(({ name, isDefault }) => isDefault && name === 'Admin')
    if (admin === undefined) return []
    return (await answer(api.v1.members.get({ query: { role_id: admin.id } }))).data
  },
})
