import { dataDirectory, type Keyward, readyKeyward } from '../../support/keyward.ts'
import { call } from '../../support/keyward-api.ts'
import type { Login } from './clients.ts'

export type App = { id: string; name: string; environments: Record<string, string> }

/** Somebody with a session, or a service account, and how its tokens are made. */
export type Holder = { id: string; kind: 'member' | 'service account'; session?: string }

/** A Keyward in a process of its own, with an Owner who is signed in. */
export type Deployment = {
  keyward: Keyward
  data: string
  owner: Holder
  /** Calls the API as the Owner, and fails on an answer that isn't a success. */
  ask(method: string, path: string, body?: object): Promise<Record<string, unknown>>
  /** An app with an environment for each name. */
  app(name: string, environments?: readonly string[]): Promise<App>
  /** A member with a role, who can open these environments. */
  member(role: string, access: readonly AppAccess[]): Promise<Holder>
  /** A service account with a role, which can open these environments. */
  serviceAccount(role: string, access: readonly AppAccess[]): Promise<Holder>
  /** Sets what a member or a service account can open. */
  setAccess(holder: Holder, access: readonly AppAccess[]): Promise<void>
  /** A new token in the format of Phase's clients. */
  token(holder: Holder, options?: { expires_in?: number }): Promise<{ id: string; token: string }>
  revoke(holder: Holder, tokenId: string): Promise<void>
  /** What a client of this holder is told, with a new token. */
  login(holder: Holder): Promise<Login>
}

/** Of an app, these environments, or all of them. */
export type AppAccess = { app: App; environments?: readonly string[] }

const password = 'correct horse battery'

export async function startDeployment(env: Record<string, string> = {}): Promise<Deployment> {
  const data = await dataDirectory()
  const keyward = await readyKeyward({ env: { KEYWARD_DATA: data, ...env } })
  const owner = await registered(keyward, 'owner@example.org')
  const ask = (method: string, path: string, body?: object) =>
    succeeded(keyward, method, path, owner.session, body)
  const roles = (await ask('GET', '/v1/roles/')).data as { id: string; name: string }[]
  const roleId = (name: string) => roles.find((role) => role.name === name)?.id ?? name
  let count = 0

  const deployment: Deployment = {
    keyward,
    data,
    owner,
    ask,
    app: async (name, environments) => {
      const made = await ask('POST', '/v1/apps/', { name, ...(environments && { environments }) })
      const ids = (made.environments as { id: string; name: string }[]).map((item) => [item.name, item.id])
      return { id: String(made.id), name, environments: Object.fromEntries(ids) }
    },
    member: async (role, access) => {
      count += 1
      const email = `member${count}@example.org`
      const invite = await ask('POST', '/v1/members/invites/', { email, role_id: roleId(role) })
      const token = new URL(String(invite.inviteUrl)).hash.slice(1)
      const member = await registered(keyward, email, token)
      await deployment.setAccess(member, access)
      return member
    },
    serviceAccount: async (role, access) => {
      count += 1
      const body = { name: `robot ${count}`, role_id: roleId(role) }
      const { id } = await ask('POST', '/v1/service-accounts/', body)
      const account: Holder = { id: String(id), kind: 'service account' }
      await deployment.setAccess(account, access)
      return account
    },
    setAccess: async (holder, access) => {
      const path = holder.kind === 'member' ? 'members' : 'service-accounts'
      await ask('PUT', `/v1/${path}/${holder.id}/access/`, { apps: access.map(inBody) })
    },
    token: async (holder, options = {}) => {
      const body = { name: 'client', format: 'phase', ...options }
      const path = tokensOf(holder)
      const issued = await succeeded(keyward, 'POST', path, holder.session ?? owner.session, body)
      return { id: String(issued.id), token: String(issued.token) }
    },
    revoke: async (holder, tokenId) => {
      const path = tokensOf(holder)
      await succeeded(keyward, 'DELETE', `${path}${tokenId}/`, holder.session ?? owner.session)
    },
    login: async (holder) => ({ host: keyward.url, token: (await deployment.token(holder)).token }),
  }
  return deployment
}

const inBody = ({ app, environments = Object.keys(app.environments) }: AppAccess) => ({
  id: app.id,
  environments: environments.map((name) => app.environments[name]),
})

const tokensOf = (holder: Holder) =>
  holder.kind === 'member' ? '/v1/tokens/' : `/v1/service-accounts/${holder.id}/tokens/`

/** A new account that is signed in; the first one becomes the Owner. */
async function registered(keyward: Keyward, email: string, invite?: string): Promise<Holder> {
  const body = { email, password, ...(invite !== undefined && { invite }) }
  const { member } = await succeeded(keyward, 'POST', '/service/auth/password/register/', undefined, body)
  const signIn = { email, password }
  const session = await succeeded(keyward, 'POST', '/service/auth/password/login/', undefined, signIn)
  const { id } = member as { id: string }
  return { id, kind: 'member', session: String(session.accessToken) }
}

async function succeeded(
  keyward: Keyward,
  method: string,
  path: string,
  token: string | undefined,
  body?: object,
): Promise<Record<string, unknown>> {
  const answer = await call(keyward, method, path, {
    ...(token !== undefined && { token }),
    ...(body !== undefined && { body }),
  })
  if (answer.status >= 300)
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}
