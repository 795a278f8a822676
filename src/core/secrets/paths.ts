import { defineKind } from '../schema.ts'

const MAX_SEGMENTS = 16
const MAX_LENGTH = 512
const SEGMENT = /^[A-Za-z0-9_.-]{1,64}$/

/** A path as it is stored: one slash before each segment, none at the end; `/` is the root. */
export function normalisePath(text: string): string {
  return `/${segmentsOf(text).join('/')}`
}

/** Why a text is no path, as a sentence that begins with `field`; null when it is one. */
export function pathFault(text: string, field: string): string | null {
  // Slashes that fold away don't count, but are not to be endless.
  if (text.length > 2 * MAX_LENGTH) return `${field} must have at most ${MAX_LENGTH} characters.`
  const segments = segmentsOf(text)
  if (segments.length > MAX_SEGMENTS) return `${field} must have at most ${MAX_SEGMENTS} segments.`
  if (segments.some((segment) => !SEGMENT.test(segment))) {
    return `${field} must be a path of segments of 1 to 64 letters, digits, hyphens, underscores and dots.`
  }
  if (segments.some((segment) => segment === '.' || segment === '..')) {
    return `${field} must have no segment "." or "..".`
  }
  return normalisePath(text).length > MAX_LENGTH
    ? `${field} must have at most ${MAX_LENGTH} characters.`
    : null
}

const path = defineKind('Path', (value, field) =>
  typeof value === 'string' ? pathFault(value, field) : `${field} must be a string.`,
)

/** The path of a secret in a body. */
export const Path = (description: string) => path<string>({ type: 'string', description })

const segmentsOf = (text: string): string[] => text.split('/').filter((segment) => segment !== '')
