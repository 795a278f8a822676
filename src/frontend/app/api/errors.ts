/** An answer that is no success: its status, and the sentence that the API gave for it. */
export class ApiError extends Error {
  override name = 'ApiError'

  constructor(
    readonly status: number,
    sentence: string,
    readonly requestId: string | null = null,
  ) {
    super(sentence)
  }

  static unreachable(): ApiError {
    return new ApiError(0, 'Keyward can’t be reached. Check the connection, then try again.')
  }
}

/** The sentence of an error's body, `{error: "…"}`; for what is no answer of the API, one about its status. */
export function sentenceOf(body: unknown, status: number): string {
  const sentence = (body as { error?: unknown } | null)?.error
  return typeof sentence === 'string' ? sentence : `The server answered with status ${status}, and no reason.`
}

/** What to show of anything that was thrown. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'Something went wrong in the console. Reload the page.'

/** Whether an error is the API's answer of this status. */
export const isStatus = (error: unknown, status: number): error is ApiError =>
  error instanceof ApiError && error.status === status

/** Whether the API may answer in a moment: what was read before is still shown then. */
export const isPassing = (error: unknown): boolean => isStatus(error, 0) || isStatus(error, 503)
