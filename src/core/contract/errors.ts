import { type Static, Type } from '@sinclair/typebox'

/** The body of every error: one sentence. */
export const ErrorBody = Type.Object({ error: Type.String() })
export type ErrorBody = Static<typeof ErrorBody>
