/** What a reference names; null for the app or the environment in which it stands. */
export type Reference = Readonly<{
  app: string | null
  environment: string | null
  path: string
  key: string
}>

/** A piece of a value: text that stays, or a reference with the text that it was written as. */
export type Piece = string | Readonly<{ written: string; reference: Reference }>

/** Whether a value may have a reference: most have none. */
export const mayRefer = (value: string): boolean => value.includes('${')

/**
 * The pieces of a value, which joined as they are written give the value again. References are `${KEY}`, `${/path/KEY}`,
 * `${environment.KEY}`, `${environment./path/KEY}` and `${app::environment./path/KEY}`; each ends at the first `}`, as in
 * the clients that resolve references themselves. `${{…}}` is text. Takes linear time.
 */
export function parseReferences(value: string): Piece[] {
  const pieces: Piece[] = []
  const nextDouble = nextPlace(value, '}}')
  let textStart = 0
  for (let at = value.indexOf('${'); at !== -1; ) {
    let end = at + 2
    if (value[end] === '{') {
      const double = nextDouble(end)
      end = double === -1 ? end : double + 2
    } else {
      const brace = value.indexOf('}', end)
      if (brace === -1) break
      const reference = parseReference(value.slice(end, brace))
      end = brace + 1
      if (reference !== null) {
        if (at > textStart) pieces.push(value.slice(textStart, at))
        pieces.push({ written: value.slice(at, end), reference })
        textStart = end
      }
    }
    at = value.indexOf('${', end)
  }
  if (textStart < value.length) pieces.push(value.slice(textStart))
  return pieces
}

/** Where a text next occurs from a place on, -1 for nowhere. Asked with places that only grow, it reads the value once. */
function nextPlace(value: string, searched: string): (from: number) => number {
  let known = 0
  return (from) => {
    if (known !== -1 && known < from) known = value.indexOf(searched, from)
    return known
  }
}

/** What the text between the braces names; null when it is no reference. */
function parseReference(text: string): Reference | null {
  if (text.includes('{')) return null
  const [app, inApp] = splitAtFirst(text, '::')
  const [environment, place] = splitAtFirst(inApp, '.')
  // Of another app, an environment must be named.
  if (app === '' || environment === '' || (app !== null && environment === null)) return null
  const slash = place.lastIndexOf('/')
  const key = place.slice(slash + 1)
  if (key === '') return null
  const segments = place
    .slice(0, Math.max(slash, 0))
    .split('/')
    .filter((segment) => segment !== '')
  return { app, environment, path: `/${segments.join('/')}`, key }
}

function splitAtFirst(text: string, separator: string): [before: string | null, after: string] {
  const at = text.indexOf(separator)
  return at === -1 ? [null, text] : [text.slice(0, at), text.slice(at + separator.length)]
}
