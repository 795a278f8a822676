import { type TSchema, Type } from '@sinclair/typebox'

/** The paging of a list request: at most `limit` items, those after `cursor`. */
export type PageRequest = Readonly<{ limit?: number; cursor?: string }>

/** A list's response: `nextCursor` is present in pages only, and null on the last one. */
export type Page<T> = { data: T[]; nextCursor?: string | null }

/** The response of a list: everything, or one page with the cursor of the next. */
export const ListOf = <T extends TSchema>(item: T) =>
  Type.Object({
    data: Type.Array(item),
    nextCursor: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'Present when a page was requested; null on the last page.',
      }),
    ),
  })
