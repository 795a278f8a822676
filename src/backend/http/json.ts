import { badRequest } from '../../core/errors.ts'

const MAX_DEPTH = 32

/** Parses the text of a body. 400 when it is not JSON, is nested too deep, or holds text that can't be stored. */
export function parseJson(text: string): unknown {
  const { depth, fault } = scan(text)
  // Checked first: JSON.parse and the validator recurse.
  if (depth > MAX_DEPTH) throw badRequest(`The body must not be nested deeper than ${MAX_DEPTH} levels.`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badRequest('The body is not valid JSON.')
  }
  if (fault !== null) throw badRequest(fault)
  return value
}

type Findings = { depth: number; fault: string | null }

/** Finds in one pass how deep the text is nested, and what is wrong with its strings; the cost is linear for any text. */
function scan(text: string): Findings {
  const findings: Findings = { depth: 0, fault: null }
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) at = scanString(text, at, findings)
    else if (character === OPEN_ARRAY || character === OPEN_OBJECT) {
      findings.depth = Math.max(findings.depth, ++depth)
    } else if (character === CLOSE_ARRAY || character === CLOSE_OBJECT) depth--
  }
  return findings
}

/**
 * Checks the string that begins at `start`; returns the index of its closing quote. In valid UTF-8 and JSON, only an
 * escape can stand for a NUL or half a surrogate pair.
 */
function scanString(text: string, start: number, findings: Findings): number {
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
    const unit = text.charCodeAt(at + 1) === LETTER_U ? Number.parseInt(text.slice(at + 2, at + 6), 16) : -1
    const isLowHalf = unit >= 0xdc00 && unit <= 0xdfff
    if (isLowHalf !== awaitsLowHalf) findings.fault = ILL_FORMED
    if (unit === 0) findings.fault = 'Text must not contain NUL characters.'
    awaitsLowHalf = unit >= 0xd800 && unit <= 0xdbff
    at += unit === -1 ? 1 : 5
  }
  return text.length
}

/** Whether a string is a field name that means `__proto__`, with or without escapes. */
function isProto(text: string, start: number, end: number, hasEscape: boolean): boolean {
  const isPlain = !hasEscape && end - start - 1 === PROTO.length && text.startsWith(PROTO, start + 1)
  const mayBe = isPlain || (hasEscape && end - start - 1 <= PROTO.length * '\\u0000'.length)
  if (!mayBe || !isFieldName(text, end + 1)) return false
  return isPlain || decoded(text.slice(start, end + 1)) === PROTO
}

function isFieldName(text: string, after: number): boolean {
  let at = after
  while (at < text.length && text.charCodeAt(at) <= SPACE) at++
  return text.charCodeAt(at) === COLON
}

/** A string with its escapes resolved; null when it is not valid JSON. */
function decoded(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const ILL_FORMED = 'Text must be well-formed Unicode.'
const PROTO = '__proto__'
const [SPACE, QUOTE, BACKSLASH, LETTER_U, COLON] = [0x20, 0x22, 0x5c, 0x75, 0x3a]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
