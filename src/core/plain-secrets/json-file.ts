import { badRequest } from '../errors.ts'
import { type KeyValue, MOST_ENTRIES, tooManyEntries } from './key-values.ts'

/** The keys and values of a JSON object of texts. 400 tells which entry is wrong by its number, and none of its text. */
export function parseJsonFile(file: string): KeyValue[] {
  const text = file.replace(/^\u{feff}/u, '')
  // Before it is parsed: a flat object needs no more, and JSON.parse is slow for very many fields.
  if (countFields(text) > MOST_ENTRIES) throw tooManyEntries()
  const object = parse(text)
  if (typeof object !== 'object' || object === null || Array.isArray(object)) throw notAnObject()
  return Object.entries(object).map(([key, value], index) => {
    if (typeof value === 'string') return { key, value }
    throw badRequest(`Entry ${index + 1} of the JSON object must have a text as its value.`)
  })
}

/** Keys and values as a JSON object. */
export const writeJsonFile = (entries: readonly KeyValue[]): string =>
  // By `fromEntries`, which makes a field even of `__proto__`.
  `${JSON.stringify(Object.fromEntries(entries.map(({ key, value }) => [key, value])), null, 2)}\n`

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notAnObject()
  }
}

const notAnObject = () => badRequest('The file must be a JSON object such as {"KEY": "value"}.')

/** How many colons stand outside of strings, in one pass. */
function countFields(text: string): number {
  let count = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) isInString = !isInString
    else if (character === BACKSLASH && isInString) at++
    else if (character === COLON && !isInString) count++
  }
  return count
}

const QUOTE = 34
const BACKSLASH = 92
const COLON = 58
