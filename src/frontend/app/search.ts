/**
 * Reads what an address asks for; what `read` leaves out is not there for the page, either: the router would add it as it was
 * written.
 */
export const only =
  <Search extends object>(read: (search: Record<string, unknown>) => Search) =>
  (search: Record<string, unknown>): Search => ({
    ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
    ...read(search),
  })
