/**
 * Has the runtime throw away what comes of a body that nobody reads: Bun keeps it in memory until the request is answered, and
 * then until garbage is collected, which nothing hastens.
 */
export function throwAwayBody(request: Request): void {
  request.body?.cancel().catch(() => {})
}
