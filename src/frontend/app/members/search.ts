import { oneOf, textOf } from '../shell/search.ts'

/** What the address says of the list of members. */
export type MembersSearch = {
  q?: string
  /** The id of a role. */
  role?: string
  access?: 'none'
  sort?: MemberSort
}

/** A change of the list in the address; undefined takes something out of it. */
export type MembersSearchChange = { [K in keyof MembersSearch]?: MembersSearch[K] | undefined }

const SORTS = [
  'name',
  '-name',
  'role',
  '-role',
  'created_at',
  '-created_at',
  'last_seen_at',
  '-last_seen_at',
] as const
export type MemberSort = (typeof SORTS)[number]

/** Reads the address; what it can't mean is left out. */
export const membersSearch = (search: Record<string, unknown>): MembersSearch => ({
  ...textOf(search, 'q'),
  ...textOf(search, 'role'),
  ...oneOf(search, 'access', ['none']),
  ...oneOf(search, 'sort', SORTS),
})
