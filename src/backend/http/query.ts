import { badRequest } from '../../core/errors.ts'

/**
 * 400 for a query that has one of the route's parameters more than once, of which only one value would count, or a NUL
 * character, which no stored text has.
 */
export function requireUsableQuery(url: string, parameters: readonly string[]): void {
  const start = url.indexOf('?')
  if (start === -1) return
  const query = new URLSearchParams(url.slice(start))
  for (const name of parameters) {
    const values = query.getAll(name)
    if (values.length > 1) throw badRequest(`${name} must be given only once.`)
    if (values[0]?.includes('\0')) throw badRequest(`${name} must not contain NUL characters.`)
  }
  if (url.includes('%00', start)) throw badRequest('The query must not contain NUL characters.')
}
