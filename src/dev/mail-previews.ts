import { type Letter, textOf } from '../core/mail/letter.ts'
import { isAllowedHost } from '../platform/http/hosts.ts'
import type { FetchHandler } from '../platform/http/server.ts'
import { sampleLetters } from './sample-letters.ts'

const LOOPBACK = { allowedHosts: [], allowedOrigins: [], loopback: true }

/** Shows every mail as it looks: a list at `/`, `/<name>` as HTML, `/<name>.txt` as plain text. For loopback hosts. */
export function mailPreviews(): FetchHandler {
  const letters = sampleLetters()
  return async (request) => {
    const url = new URL(request.url)
    if (!isAllowedHost(LOOPBACK, url.host)) return new Response('For this computer only.\n', { status: 400 })
    const [, name = '', isText] = /^\/([a-z-]*)(\.txt)?$/.exec(url.pathname) ?? []
    if (url.pathname === '/') return page(listOf(letters))
    const letter = letters.get(name)
    if (letter === undefined) return new Response('There is no such mail.\n', { status: 404 })
    if (isText !== undefined) return new Response(`${letter.subject}\n\n${textOf(letter)}\n`)
    const { htmlOf } = await import('../core/mail/rendering.tsx')
    return page(await htmlOf(letter))
  }
}

const page = (html: string) => new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } })

const listOf = (letters: ReadonlyMap<string, Letter>): string =>
  `<!doctype html><html lang="en"><meta name="color-scheme" content="light dark"><title>Mails</title><h1>Mails</h1><ul>${[
    ...letters.keys(),
  ]
    .map((name) => `<li><a href="/${name}">${name}</a> (<a href="/${name}.txt">text</a>)</li>`)
    .join('')}</ul></html>`
