import { type TSchema, Type } from '@sinclair/typebox'

/** The first items of a list, and how many there are in all. */
export type FirstItems<T> = { total: number; data: T[] }

/** The first items of a list in a response, and how many there are in all. */
export const FirstItemsOf = <T extends TSchema>(item: T, description: string) =>
  Type.Object({ total: Type.Integer(), data: Type.Array(item) }, { description })
