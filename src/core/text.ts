/** The form in which text is compared, counted and stored. */
export const normalise = (text: string): string => text.normalize('NFC')

/** How many Unicode code points a text has after NFC; every length limit counts these. */
export const codePoints = (text: string): number =>
  // ASCII is in NFC: nearly every text, of which a body may have thousands.
  /^[\x20-\x7e]*$/.test(text) ? text.length : normalisedCodePoints(normalise(text))

/** `codePoints` of a text that is in NFC already. */
export function normalisedCodePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** How many bytes a text has in UTF-8. Unlike `Buffer.byteLength`, it works in a browser, too. */
export const byteLength = (text: string): number => encoder.encode(text).length

/** A name as it is stored: NFC, without white space around it. */
export const normaliseName = (name: string): string => normalise(name).trim()

/** Two names are the same if this is: NFKC, then lower case, then NFC. Computed here only, never by SQL. */
export const nameKey = (name: string): string =>
  normaliseName(name).normalize('NFKC').toLowerCase().normalize('NFC')

/**
 * Whether a text has a character that can't be seen: two names that differ in it alone would look the same. Joiners,
 * variation selectors and tags are invisible except where `VISIBLE_EFFECTS` lists them.
 */
export const hasInvisibleCharacter = (text: string): boolean =>
  INVISIBLE.test(text) && INVISIBLE.test(text.replace(VISIBLE_EFFECTS, ''))

/**
 * Whether a text is so much longer than `maxLength` code points that NFC could not bring it there: the longest decomposition
 * of one has six UTF-16 units.
 */
export const isFarTooLong = (text: string, maxLength: number): boolean => text.length > 6 * maxLength

/** How many combining marks a text may have in a row (UAX #15, Stream-Safe Text). */
export const MAX_MARKS_IN_A_ROW = 30

/** Whether a text has more combining marks in a row than NFC can bring into order in reasonable time. */
export const hasTooManyMarks = (text: string): boolean =>
  text.length > MAX_MARKS_IN_A_ROW && TOO_MANY_MARKS.test(text)

const encoder = new TextEncoder()

const TOO_MANY_MARKS = new RegExp(`\\p{M}{${MAX_MARKS_IN_A_ROW + 1}}`, 'u')

/** The last three are blank although Unicode counts them as visible. */
const INVISIBLE =
  /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u2800\u{16FE4}\u{1D159}]/u

/** The scripts in which joiners change how letters are shown (UAX #31, Joiners). */
const JOINING_SCRIPTS = [
  ...['Adlam', 'Arabic', 'Hanifi_Rohingya', 'Mandaic', 'Mongolian', 'Nko', 'Phags_Pa', 'Syriac'],
  ...['Balinese', 'Bengali', 'Devanagari', 'Gujarati', 'Gurmukhi', 'Javanese', 'Kannada', 'Khmer'],
  ...['Malayalam', 'Myanmar', 'Oriya', 'Sinhala', 'Tamil', 'Telugu'],
]

const scriptsBy = (property: string) =>
  `[[${JOINING_SCRIPTS.map((script) => `\\p{${property}=${script}}`).join('')}]&&[\\p{L}\\p{M}]]`

/** Where invisible characters change what is seen. Each part has a fixed length, so that matching takes linear time. */
const VISIBLE_EFFECTS = new RegExp(
  [
    // A letter or mark, a joiner, a letter or mark. Marks before it may belong to several scripts, as the Arabic vowels do.
    `(?<=${scriptsBy('scx')})[\\u200C\\u200D](?=${scriptsBy('sc')})`,
    // A half form: a virama of an Indic script and the joiner, also at the end of a word.
    '(?<=[\\u094D\\u09CD\\u0A4D\\u0ACD\\u0B4D\\u0BCD\\u0C4D\\u0CCD\\u0D4D\\u0DCA])\\u200D',
    // An emoji as text or as a picture, and a keycap.
    '(?<=\\p{Extended_Pictographic})[\\uFE0E\\uFE0F]',
    '(?<=[0-9#*])\\uFE0F(?=\\u20E3)',
    // Several emoji joined to one, such as a family.
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])\\u200D(?=\\p{Extended_Pictographic})',
    // The flag of a part of a country, such as Scotland.
    '(?<=\\u{1F3F4})[\\u{E0030}-\\u{E0039}\\u{E0061}-\\u{E007A}]{3,6}\\u{E007F}',
  ].join('|'),
  'gv',
)
