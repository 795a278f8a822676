import { badRequest } from '../../core/errors.ts'

const MAX_DEPTH = 32

// Legal bodies have at most 20,002 values (10,000 ids that set access), and far fewer fields. Without a limit, JSON.parse
// takes a quarter of a second for 1 MiB of fields with numbers as names.
const MAX_VALUES = 50_000
const MAX_FIELDS = 1000

/**
 * Parses the text of a body. 400 when it is not JSON, is nested too deep, has too many values or fields, or holds text that
 * can't be stored.
 */
export function parseJson(text: string): unknown {
  const { excess, fault } = scan(text)
  // Checked first: JSON.parse and the validator recurse, and visit every value.
  if (excess !== null) throw badRequest(excess)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badRequest('The body is not valid JSON.')
  }
  if (fault !== null) throw badRequest(fault)
  return value
}

/** `excess` is the limit that the text exceeds, `fault` what is wrong with its strings. */
type Findings = { excess: string | null; fault: string | null }

/** Finds in one pass what is wrong with a text before it is parsed; the cost is linear for any text. */
function scan(text: string): Findings {
  const findings: Findings = { excess: null, fault: null }
  // The fields so far of the object that is open at each depth.
  const fields = new Uint16Array(MAX_DEPTH + 1)
  let [depth, values] = [0, 1]
  for (let at = 0; at < text.length && findings.excess === null; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) at = scanString(text, at, findings)
    else if (character === OPEN_ARRAY || character === OPEN_OBJECT) {
      if (++depth > MAX_DEPTH) findings.excess = TOO_DEEP
      fields[depth] = 0
      // The first item or field comes without a comma.
      if (!isEmpty(text, at + 1)) values++
    } else if (character === CLOSE_ARRAY || character === CLOSE_OBJECT) depth--
    else if (character === COMMA) values++
    else if (character === COLON) {
      const count = (fields[depth] ?? 0) + 1
      fields[depth] = count
      if (count > MAX_FIELDS) findings.excess = TOO_MANY_FIELDS
    }
    if (values > MAX_VALUES) findings.excess = TOO_MANY_VALUES
  }
  return findings
}

/** Whether the array or object that opened before `after` closes at once. */
function isEmpty(text: string, after: number): boolean {
  const character = text.charCodeAt(skipSpace(text, after))
  return character === CLOSE_ARRAY || character === CLOSE_OBJECT
}

/**
 * Checks the string that begins at `start`; returns the index of its closing quote. In valid UTF-8 and JSON, only an
 * escape can stand for a NUL or half a surrogate pair.
 */
function scanString(text: string, start: number, findings: Findings): number {
  const quote = text.indexOf('"', start + 1)
  // Searched at once: character by character, a MiB takes some milliseconds.
  if (quote - start > LONG && !text.slice(start, quote).includes('\\')) return quote
  let awaitsLowHalf = false
  let hasEscape = false
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character !== BACKSLASH) {
      if (awaitsLowHalf) findings.fault = ILL_FORMED
      awaitsLowHalf = false
      if (character !== QUOTE) continue
      if (isProto(text, start, at, hasEscape)) findings.fault = 'A field must not be named __proto__.'
      return at
    }
    hasEscape = true
    const isUnit = text.charCodeAt(at + 1) === LETTER_U
    const half = isUnit ? halfOfPair(text, at + 2) : NONE
    if ((half === LOW) !== awaitsLowHalf) findings.fault = ILL_FORMED
    if (isUnit && isNul(text, at + 2)) findings.fault = 'Text must not contain NUL characters.'
    awaitsLowHalf = half === HIGH
    at += isUnit ? 5 : 1
  }
  return text.length
}

/** Which half of a surrogate pair four hexadecimal digits are. */
function halfOfPair(text: string, at: number): typeof NONE | typeof HIGH | typeof LOW {
  if (lowerCase(text.charCodeAt(at)) !== LETTER_D) return NONE
  const second = lowerCase(text.charCodeAt(at + 1))
  if (second >= LETTER_C && second <= LETTER_F) return LOW
  return (second >= EIGHT && second <= NINE) || (second >= LETTER_A && second < LETTER_C) ? HIGH : NONE
}

function isNul(text: string, at: number): boolean {
  for (let digit = at; digit < at + 4; digit++) if (text.charCodeAt(digit) !== ZERO) return false
  return true
}

/** Digits stay as they are. */
const lowerCase = (character: number): number => character | 0x20

/** Whether a string is a field name that means `__proto__`, with or without escapes. */
function isProto(text: string, start: number, end: number, hasEscape: boolean): boolean {
  const isPlain = !hasEscape && end - start - 1 === PROTO.length && text.startsWith(PROTO, start + 1)
  const mayBe = isPlain || (hasEscape && end - start - 1 <= PROTO.length * '\\u0000'.length)
  if (!mayBe || !isFieldName(text, end + 1)) return false
  return isPlain || decoded(text.slice(start, end + 1)) === PROTO
}

const isFieldName = (text: string, after: number): boolean =>
  text.charCodeAt(skipSpace(text, after)) === COLON

/** The index of the next character that is no white space. */
function skipSpace(text: string, start: number): number {
  let at = start
  while (at < text.length && text.charCodeAt(at) <= SPACE) at++
  return at
}

/** A string with its escapes resolved; null when it is not valid JSON. */
function decoded(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const TOO_DEEP = `The body must not be nested deeper than ${MAX_DEPTH} levels.`
const TOO_MANY_VALUES = `The body must have at most ${MAX_VALUES} values.`
const TOO_MANY_FIELDS = `An object in the body must have at most ${MAX_FIELDS} fields.`
const ILL_FORMED = 'Text must be well-formed Unicode.'
const PROTO = '__proto__'
/** A string of so many characters is long, and none that means `__proto__`. */
const LONG = 100
const [SPACE, QUOTE, BACKSLASH, LETTER_U, COLON, COMMA] = [0x20, 0x22, 0x5c, 0x75, 0x3a, 0x2c]
const [ZERO, EIGHT, NINE, LETTER_A, LETTER_C, LETTER_D, LETTER_F] = [0x30, 0x38, 0x39, 0x61, 0x63, 0x64, 0x66]
const [NONE, HIGH, LOW] = [0, 1, 2] as const
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
