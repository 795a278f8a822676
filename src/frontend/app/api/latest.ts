import { isStatus } from './errors.ts'

type Tagged<T> = { data: T; etag: string }

const ATTEMPTS = 3

/**
 * Changes a thing as it is now, and begins again where another change of it came in between. `change` looks at the latest
 * state first, and throws where that is not what its reader was shown.
 */
export async function onLatest<T, R>(
  read: () => Promise<Tagged<T>>,
  change: (latest: T, etag: string) => Promise<R>,
): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    const { data, etag } = await read()
    try {
      return await change(data, etag)
    } catch (error) {
      if (!isStatus(error, 412) || attempt === ATTEMPTS) throw error
    }
  }
}
