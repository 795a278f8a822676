import { type TSchema, Type } from '@sinclair/typebox'

/** The first items of a list, and how many it has in all. */
export type Counted<T> = { total: number; data: T[] }

/** The first items of a list in a response, and how many it has in all. */
export const CountedListOf = <T extends TSchema>(item: T, description: string) =>
  Type.Object({ total: Type.Integer(), data: Type.Array(item) }, { description })
