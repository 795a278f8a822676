const ORIGIN = 'http://localhost'

/** A page of the console in this process. `bearer` is what its session gives. */
export type ConsolePage = Disposable & { bearer: string }

/**
 * Makes this process a page with a session, for modules of the console that ask the API: `respond` answers their requests.
 * Import them once the page is there.
 */
export function openConsolePage(
  respond: (request: Request) => Response | Promise<Response>,
  bearer = 'the bearer',
): ConsolePage {
  const { fetch } = globalThis
  const page: ConsolePage = {
    bearer,
    [Symbol.dispose]: () => {
      Object.assign(globalThis, { fetch })
      Reflect.deleteProperty(globalThis, 'location')
    },
  }
  const answer = async (path: string, init?: RequestInit): Promise<Response> => {
    const request = new Request(new URL(path, ORIGIN).href, init)
    return new URL(request.url).pathname === '/service/auth/session/'
      ? Response.json({ accessToken: page.bearer, expiresAt: new Date(Date.now() + 900_000).toISOString() })
      : await respond(request)
  }
  Object.assign(globalThis, { fetch: answer, location: { origin: ORIGIN } })
  return page
}
