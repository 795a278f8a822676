/** The form in which text is compared, counted and stored. */
export const normalise = (text: string): string => text.normalize('NFC')

/** How many Unicode code points a text has after NFC; every length limit counts these. */
export function codePoints(text: string): number {
  // ASCII is in NFC and has no surrogates: nearly every id, of which a body may have thousands.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let count = 0
  for (const _ of normalise(text)) count++
  return count
}

/** A name as it is stored: NFC, without white space around it. */
export const normaliseName = (name: string): string => normalise(name).trim()

/** Two names are the same if this is: NFKC, then lower case, then NFC. Computed here only, never by SQL. */
export const nameKey = (name: string): string =>
  normaliseName(name).normalize('NFKC').toLowerCase().normalize('NFC')

/**
 * Characters that no name may contain: control characters, invisible ones, and those that change the direction of text.
 * Those that join letters and emoji (U+200C, U+200D) and the tags of flags are allowed.
 */
export const INVISIBLE_CHARACTERS =
  /\p{Cc}|\p{Noncharacter_Code_Point}|(?!\u200C|\u200D|[\u{E0020}-\u{E007F}])\p{Cf}/u

/** Whether a text has a visible character. */
export const hasVisibleCharacter = (text: string): boolean => /[^\p{Cc}\p{Cf}\p{Z}]/u.test(text)

/**
 * Whether a text may be normalised: not so much longer than `maxLength` code points that NFC could not bring it there,
 * and without long runs of combining marks, which take time that grows with their square (UAX #15, Stream-Safe Text).
 */
export const isNormalisable = (text: string, maxLength: number): boolean =>
  text.length <= 8 * maxLength && (text.length < 31 || !/\p{M}{31}/u.test(text))
