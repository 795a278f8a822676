import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { SsoProvider } from '../../platform/sso/provider.ts'
import { notFound } from '../errors.ts'

/** A provider, as a button of a sign-in page needs it. */
export const Provider = Type.Object({ id: Type.String(), name: Type.String() })
export type Provider = Static<typeof Provider>

/** The providers that can be reached. */
export const available = (ctx: Context): Provider[] =>
  ctx.sso.filter((provider) => provider.isAvailable()).map(({ id, name }) => ({ id, name }))

/** A provider by its id; 404 when there is none. */
export function findProvider(ctx: Context, id: string): SsoProvider {
  const provider = ctx.sso.find((one) => one.id === id)
  if (provider === undefined) throw notFound('Sign-in provider')
  return provider
}
