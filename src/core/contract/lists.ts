import { type TSchema, Type } from '@sinclair/typebox'

/** The paging of a list request: at most `limit` items, those after `cursor`. */
export type PageRequest = Readonly<{ limit?: number; cursor?: string }>

/**
 * What a list request asks for beside a page: names that hold `q`, holders of the role `role_id`, and the order, the name
 * of a field with a hyphen before it for descending.
 */
export type ListRequest = PageRequest & Readonly<{ q?: string; sort?: string; role_id?: string }>

/** A list's response: `nextCursor` is present in pages only, and null on the last one. */
export type Page<T> = { data: T[]; nextCursor?: string | null }

/** A list's response whose pages also have the number of all items that match. */
export type CountedPage<T> = Page<T> & { total?: number }

const pageOf = <T extends TSchema>(item: T) => ({
  data: Type.Array(item),
  nextCursor: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: 'Present when a page was requested; null on the last page.',
    }),
  ),
})

/** The response of a list: everything, or one page with the cursor of the next. */
export const ListOf = <T extends TSchema>(item: T) => Type.Object(pageOf(item))

/** The response of a list whose pages also have the number of all items that match. */
export const CountedListOf = <T extends TSchema>(item: T) =>
  Type.Object({
    ...pageOf(item),
    total: Type.Optional(
      Type.Integer({
        description: 'Present when a page was requested: how many match, on all pages together.',
      }),
    ),
  })
