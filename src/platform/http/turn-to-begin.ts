/** Waits for a request's turn to begin; null when it has come, else the response to one that is no longer wanted. */
type WaitToBegin = () => Promise<Response | null>

const turns = new WeakMap<Request, WaitToBegin>()

/** Says how a request waits for its turn: one with a body that has to be read, or thrown away, meanwhile. */
export function setTurnToBegin(request: Request, wait: WaitToBegin): void {
  turns.set(request, wait)
}

/** Gives a copy of a request the turn of the original. */
export function shareTurnToBegin(original: Request, copy: Request): void {
  const wait = turns.get(original)
  if (wait !== undefined) turns.set(copy, wait)
}

/**
 * Waits until a request may begin, where the server has many at once. Null then; otherwise the response to send. To be
 * called once its body is read or thrown away, and before anything that takes long.
 */
export const waitToBegin = async (request: Request): Promise<Response | null> =>
  (await turns.get(request)?.()) ?? null
