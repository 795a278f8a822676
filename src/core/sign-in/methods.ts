import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { hasOrganisation } from '../deployment.ts'
import { available, Provider } from '../sso/providers.ts'
import { offersPasswords } from './ways-in.ts'

/** The ways to sign in that this deployment offers. */
export const Methods = Type.Object({
  password: Type.Boolean({ description: 'Whether people can register and sign in with a password here.' }),
  providers: Type.Array(Provider, {
    description: 'Single sign-on providers that can be reached.',
  }),
  setupRequired: Type.Boolean({ description: 'True until the first account is registered.' }),
  setupTokenRequired: Type.Boolean({
    description: 'Whether the first account needs `setup_token`; false once it is registered.',
  }),
  mail: Type.Boolean({ description: 'Whether the service can send mail.' }),
})
export type Methods = Static<typeof Methods>

/** The ways to sign in, and whether the first account is still to be registered. */
export async function methods(ctx: Context): Promise<Methods> {
  const setupRequired = !(await hasOrganisation(ctx.db))
  return {
    password: offersPasswords(ctx.config),
    providers: available(ctx),
    setupRequired,
    setupTokenRequired: setupRequired && ctx.config.setupToken !== null,
    mail: ctx.config.smtp !== null,
  }
}
