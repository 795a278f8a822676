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

const FIELDS = ['name', 'role', 'created_at', 'last_seen_at'] as const
type Field = (typeof FIELDS)[number]
export type MemberSort = Field | `-${Field}`

/** Reads the address; what it can't mean is left out. */
export function membersSearch({ q, role, access, sort }: Record<string, unknown>): MembersSearch {
  return {
    ...(isText(q) && { q: String(q).slice(0, 100) }),
    ...(isText(role) && { role: String(role) }),
    ...(access === 'none' && { access }),
    ...(isSort(sort) && { sort }),
  }
}

/** Whether a value of the address is a text; one that looks like a number arrives as one. */
const isText = (value: unknown): value is string | number =>
  (typeof value === 'string' && value.trim() !== '') || typeof value === 'number'

const isSort = (value: unknown): value is MemberSort =>
  typeof value === 'string' && FIELDS.some((field) => value === field || value === `-${field}`)
