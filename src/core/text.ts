/** The form in which text is compared, counted and stored. */
export const normalise = (text: string): string => text.normalize('NFC')

/** How many Unicode code points a text has after NFC: what every length limit counts. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of normalise(text)) count++
  return count
}

/** A name as it is stored: NFC, without white space around it. */
export const normaliseName = (name: string): string => normalise(name).trim()

/** What makes two names the same: NFKC, then lower case, then NFC. Computed here only, never by SQL. */
export const nameKey = (name: string): string =>
  normaliseName(name).normalize('NFKC').toLowerCase().normalize('NFC')

/** Control characters, which no name may hold. */
export const CONTROL_CHARACTERS = /\p{Cc}/u
