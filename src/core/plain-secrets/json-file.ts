import { badRequest } from '../errors.ts'
import { type KeyValue, MOST_ENTRIES, tooManyEntries } from './key-values.ts'

/** The keys and values of a JSON object of texts. 400 tells which entry is wrong by its number, and none of its text. */
export function parseJsonFile(file: string): KeyValue[] {
  const text = file.replace(/^\u{feff}/u, '')
  // Before it is parsed: a flat object needs no more, and JSON.parse is slow for very many fields or levels.
  const { fields, levels } = countOutsideOfTexts(text)
  if (fields > MOST_ENTRIES) throw tooManyEntries()
  if (levels > MOST_ENTRIES) throw notAnObject()
  const object = parse(text)
  if (typeof object !== 'object' || object === null || Array.isArray(object)) throw notAnObject()
  const entries = Object.entries(object).map(([key, value], index) => {
    if (typeof value === 'string') return { key, value }
    throw badRequest(`Entry ${index + 1} of the JSON object must have a text as its value.`)
  })
  if (fields > entries.length)
    throw badRequest('The JSON object has a key twice. Each key must be there once.')
  return entries
}

/** Keys and values, each key once, as the parts of a JSON object. */
export function* writeJsonFile(entries: readonly KeyValue[]): Iterable<string> {
  yield '{'
  for (const [index, { key, value }] of entries.entries()) {
    yield `${index === 0 ? '' : ','}\n  ${JSON.stringify(key)}: ${JSON.stringify(value)}`
  }
  yield entries.length === 0 ? '}\n' : '\n}\n'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notAnObject()
  }
}

const notAnObject = () => badRequest('The file must be a JSON object such as {"KEY": "value"}.')

/** How many colons, and how many opening brackets, stand outside of texts, in one pass. */
function countOutsideOfTexts(text: string): { fields: number; levels: number } {
  let fields = 0
  let levels = 0
  let isInText = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) isInText = !isInText
    else if (character === BACKSLASH && isInText) at++
    else if (isInText) continue
    else if (character === COLON) fields++
    else if (character === BRACKET || character === BRACE) levels++
  }
  return { fields, levels }
}

const QUOTE = 34
const BACKSLASH = 92
const COLON = 58
const BRACKET = 91
const BRACE = 123
