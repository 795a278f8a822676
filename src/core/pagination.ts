import { createHmac } from 'node:crypto'
import { gcmsiv } from '@noble/ciphers/aes.js'
import type { Context } from '../context.ts'
import type { Queryable } from '../platform/postgres/database.ts'
import type { CountedPage, Page, PageRequest } from './contract/lists.ts'
import { badRequest } from './errors.ts'
import type { Room } from './large-reads.ts'

/** The part of a list to read: `limit` null means the whole list; `after` is the sort key of the item before. */
export type PageRange = Readonly<{ limit: number | null; after: readonly string[] | null }>

/**
 * Reads a page request. Without `limit` and `cursor` the range is the whole list, unless `alwaysPaged`. A cursor is valid
 * for the list that gave it only (400 otherwise).
 */
export function pageRange(ctx: Context, list: string, request: PageRequest, alwaysPaged = false): PageRange {
  const paged = alwaysPaged || request.limit !== undefined || request.cursor !== undefined
  return {
    limit: request.limit ?? (paged ? 50 : null),
    after: request.cursor === undefined ? null : readCursor(ctx, list, request.cursor),
  }
}

/** How many rows to read: one more than the page holds, to know whether there is a next page. */
export const rowLimit = (range: PageRange): number | null => (range.limit === null ? null : range.limit + 1)

/** The end of a statement that lists the rows of `table` in the range, oldest first, then by id. */
export function oldestFirst(db: Queryable, table: string, range: PageRange) {
  const [createdAt = null, id = null] = range.after ?? []
  const key = db`${db(`${table}.created_at`)}, ${db(`${table}.id`)}`
  const after = id === null ? db`` : db`and (${key}) > (${createdAt}::timestamptz, ${id}::uuid)`
  return db`${after} order by ${key} ${limitClause(db, range)}`
}

/** The limit clause of a statement that lists the rows in the range; empty for the whole list. */
export function limitClause(db: Queryable, range: PageRange) {
  const rows = rowLimit(range)
  return rows === null ? db`` : db`limit ${rows}`
}

/** The sort key of a row in a list that `oldestFirst` orders. */
export const creationOrder = (row: { created_at: Date; id: string }): readonly string[] => [
  row.created_at.toISOString(),
  row.id,
]

/** A list in the order of creation, whole or a page of it; `read` reads the rows in the range with `oldestFirst`. */
export async function listByCreation<Row extends { created_at: Date; id: string }, Item>(
  ctx: Context,
  list: string,
  request: PageRequest,
  read: (range: PageRange) => PromiseLike<readonly Row[]>,
  present: (row: Row) => Item,
): Promise<Page<Item>> {
  const range = pageRange(ctx, list, request)
  return toPage(ctx, list, range, await read(range), creationOrder, present)
}

/** A list whose pages tell how many items match: how its rows are read, counted, ordered and shown. */
export type CountedList<Row, Item> = Readonly<{
  /** With its filters and its order: a cursor is valid for these only. */
  name: string
  read: (range: PageRange) => PromiseLike<readonly Row[]>
  count: () => Promise<number>
  sortKey: (row: Row) => readonly string[]
  present: (row: Row) => Item
  /** What the whole list has to have room in, of which each item takes so many bytes; a page is never large. */
  large?: Readonly<{ room: Room; bytesEach: number }> | undefined
}>

/** A list, whole or a page of it with the number of all that match. They are counted only if the page can't tell. */
export async function listCounted<Row, Item>(
  ctx: Context,
  request: PageRequest,
  { name, read, count, sortKey, present, large }: CountedList<Row, Item>,
): Promise<CountedPage<Item>> {
  const range = pageRange(ctx, name, request)
  const rows =
    large === undefined || range.limit !== null
      ? await read(range)
      : await large.room.read(
          async () => read(range),
          (rows) => rows.length * large.bytesEach,
          async () => (await count()) * large.bytesEach,
        )
  const page = toPage(ctx, name, range, rows, sortKey, present)
  if (range.limit === null) return page
  const isAll = range.after === null && rows.length <= range.limit
  return { ...page, total: isAll ? rows.length : await count() }
}

/** The page of the rows that were read, with the cursor of the next page; `sortKey` gives a row's place in the list. */
export function toPage<Row, Item>(
  ctx: Context,
  list: string,
  range: PageRange,
  rows: readonly Row[],
  sortKey: (row: Row) => readonly string[],
  present: (row: Row) => Item,
): Page<Item> {
  if (range.limit === null) return { data: rows.map(present) }
  const shown = rows.slice(0, range.limit)
  return pageWith(ctx, list, shown, rows.length > shown.length, sortKey, present)
}

/** A page of exactly these rows, with the cursor of the next page when there are more. */
export function pageWith<Row, Item>(
  ctx: Context,
  list: string,
  rows: readonly Row[],
  hasMore: boolean,
  sortKey: (row: Row) => readonly string[],
  present: (row: Row) => Item,
): Page<Item> {
  const last = rows.at(-1)
  const nextCursor = hasMore && last !== undefined ? writeCursor(ctx, list, sortKey(last)) : null
  return { data: rows.map(present), nextCursor }
}

const writeCursor = (ctx: Context, list: string, sortKey: readonly string[]): string =>
  Buffer.from(cursorCipher(ctx, list).encrypt(Buffer.from(JSON.stringify(sortKey)))).toString('base64url')

function readCursor(ctx: Context, list: string, cursor: string): readonly string[] {
  try {
    const sortKey = cursorCipher(ctx, list).decrypt(Buffer.from(cursor, 'base64url'))
    return JSON.parse(Buffer.from(sortKey).toString()) as string[]
  } catch {
    throw badRequest(
      'cursor must be the nextCursor of an earlier page of this list, with the same filters and sort.',
    )
  }
}

/**
 * Encrypts cursors: they may name what their reader can not see. The same place always has the same cursor, so that a page
 * keeps its ETag; AES-GCM-SIV needs no nonce for that.
 */
function cursorCipher(ctx: Context, list: string) {
  const key = createHmac('sha256', ctx.config.secretKey).update(`keyward/cursor/${list}`).digest()
  return gcmsiv(key, new Uint8Array(12))
}
