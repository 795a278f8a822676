import { createHash } from 'node:crypto'

/** A page of one heading and a few sentences, with one link away from it. */
export type Page = Readonly<{
  title: string
  sentences: readonly string[]
  link: { href: string; text: string }
}>

const STYLE = `:root { color-scheme: light dark; }
body { margin: 0; font: 1rem / 1.5 system-ui, sans-serif; }
main { max-width: 40rem; margin: 15vh auto 0; padding: 0 1.5rem; }
h1 { font-size: 2rem; line-height: 1.2; }
small { opacity: 0.75; overflow-wrap: anywhere; }`

/** Nothing is loaded and no script runs: the page is complete in itself. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
}

/** The page in HTML; every text is escaped. The last sentence is small: it is for whoever is asked for help. */
export function pageHtml({ title, sentences, link }: Page): string {
  const [last = '', ...before] = sentences.toReversed()
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)} · Keyward</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${before
  .reverse()
  .map((sentence) => `<p>${escaped(sentence)}</p>\n`)
  .join('')}<p><a href="${escaped(link.href)}">${escaped(link.text)}</a></p>
<p><small>${escaped(last)}</small></p>
</main>
</body>
</html>
`
}

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
