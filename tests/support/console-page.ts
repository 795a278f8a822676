const ORIGIN = 'http://localhost'

/** A page of the console in this process. */
export type ConsolePage = Disposable & Readonly<{ bearer: string }>

/**
 * Makes this process a page with a session, for modules of the console that ask the API: `respond` answers their requests.
 * Import them once the page is there.
 */
export function openConsolePage(
  respond: (request: Request) => Response | Promise<Response>,
  bearer = 'the bearer',
): ConsolePage {
  const { fetch } = globalThis
  const answer = async (path: string, init?: RequestInit): Promise<Response> => {
    const request = new Request(new URL(path, ORIGIN).href, init)
    return new URL(request.url).pathname === '/service/auth/session/'
      ? Response.json({ accessToken: bearer, expiresAt: new Date(Date.now() + 900_000).toISOString() })
      : await respond(request)
  }
  Object.assign(globalThis, { fetch: answer, location: { origin: ORIGIN } })
  return {
    bearer,
    [Symbol.dispose]: () => {
      Object.assign(globalThis, { fetch })
      Reflect.deleteProperty(globalThis, 'location')
    },
  }
}
