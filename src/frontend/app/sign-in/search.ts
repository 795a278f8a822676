/** Where a sign-in leads to, from the address. What a route leaves out, the router keeps as it stands there. */
export function nextIn(search: Record<string, unknown>): { next?: string | undefined } {
  return { next: isLocal(search.next) ? search.next : undefined }
}

/** Whether a value from the address leads to a page of the console, and to no other site. */
function isLocal(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.startsWith('/') &&
    URL.parse(value, location.origin)?.origin === location.origin
  )
}
