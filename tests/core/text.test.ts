import { describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import fc from 'fast-check'
import { explainFault, Name, Text } from '../../src/core/schema.ts'
import { byteLength, hasInvisibleCharacter, normaliseName } from '../../src/core/text.ts'

const INVISIBLE = 'name must not contain control or invisible characters.'
const faultOf = (name: string) => explainFault(Name(), name, 'name')
const character = (code: string) => String.fromCodePoint(Number.parseInt(code, 16))

test.each(['', 'KEY', 'naïve', '鍵', '🔑', '\ud800'])('the bytes of %j are those of its UTF-8', (text) => {
  expect(byteLength(text)).toBe(Buffer.byteLength(text))
})

test('a name of the longest decompositions is as long as what they compose', () => {
  let longest = 0
  for (let code = 0; code <= 0x10ffff; code++) {
    const one = String.fromCodePoint(code)
    if (code >= 0xd800 && code <= 0xdfff) continue
    const decomposed = one.normalize('NFD')
    if (decomposed !== one && decomposed.normalize('NFC') === one)
      longest = Math.max(longest, decomposed.length)
  }
  expect(longest).toBe(6)
  const name = 'a\u{16126}'.normalize('NFD').repeat(32)
  expect([name.length, faultOf(name)]).toEqual([224, null])
  expect(faultOf(`${name}a`)).toBe('name must have at most 64 characters.')
})

describe('an invisible character', () => {
  const codes =
    'FE00 FE0E FE0F E0100 E01EF 180B 180D 180E 180F 034F 061C 115F 1160 3164 FFA0 16FE4 17B4 17B5 2800 1D159 ' +
    '200B 200C 200D 200E 202E 2028 2029 2060 2065 206F FEFF 00AD 0000 0007 001B 0085 FDD0 FFFE 10FFFF FFF0 ' +
    'E0001 E0061 E007F 1D173 1BCA0'

  test.each(codes.split(' '))('U+%s is refused in, before and after Latin letters, and alone', (code) => {
    const hidden = character(code)
    // White space at the ends is not stored.
    for (const name of [`Ad${hidden}min`, `${hidden}Admin`, `Admin${hidden}`, hidden, hidden.repeat(3)]) {
      const stored = normaliseName(name)
      if (stored === 'Admin' || stored === '') continue
      expect([name, faultOf(name)]).toEqual([name, INVISIBLE])
    }
    expect(faultOf(`Ad${hidden}min`)).toBe(INVISIBLE)
  })

  test.each([
    ['a selector after a letter that follows an emoji', '😀a\u{FE0F}'],
    ['a second selector', '☠\u{FE0F}\u{FE0F}'],
    ['a selector after a digit without a keycap', '1\u{FE0F}'],
    ['a joiner after an emoji, before a letter', '😀\u{200D}a'],
    ['a joiner at the end of an emoji', '😀\u{200D}'],
    ['a joiner between a Persian and a Latin letter', 'می\u{200C}a'],
    ['a joiner between Latin letters with a mark', 'e\u{301}\u{200C}e'],
    ['a joiner at the end of a Persian name', 'می\u{200C}'],
    ['two joiners between Persian letters', 'می\u{200C}\u{200C}خواهم'],
    ['a joiner beside a digit', 'می\u{200C}1'],
    ['tags after another emoji than the flag', '😀\u{E0067}\u{E0062}\u{E0065}\u{E007F}'],
    ['tags without an end', '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}'],
    ['a flag with more tags than any has', `🏴${'\u{E0061}'.repeat(7)}\u{E007F}`],
    ['an end of tags without any', '🏴\u{E007F}'],
  ])('is refused as %s', (_, name) => {
    expect(faultOf(name)).toBe(INVISIBLE)
  })

  const ignorable = fc
    .integer({ min: 0x80, max: 0x10ffff })
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .filter((hidden) => /[\p{Default_Ignorable_Code_Point}\p{Cf}]/u.test(hidden))

  test('is refused wherever it stands among letters, digits and spaces', () => {
    const latin = fc.string({
      unit: fc.constantFrom('a', 'B', 'é', 'ж', '漢', '1', '#', ' ', '-'),
      maxLength: 10,
    })
    fc.assert(
      fc.property(latin, ignorable, latin, (before, hidden, after) => {
        expect(hasInvisibleCharacter(before + hidden + after)).toBe(true)
      }),
    )
  })
})

test.each([
  ['letters of many scripts', 'Ærøskøbing Ελλάδα Київ 東京 서울 ירושלים القاهرة ไทย'],
  ['letters with marks that are written apart', 'Zoe\u{308} x\u{302}'],
  ['an emoji', 'Ops 😀'],
  ['an emoji as a picture', '☠\u{FE0F} Danger'],
  ['an emoji as text', '✔\u{FE0E} Approved'],
  ['a skin tone', '👋🏽'],
  ['a family', '👨\u{200D}👩\u{200D}👧\u{200D}👦'],
  ['a woman of a skin tone who runs', '🏃🏽\u{200D}♀\u{FE0F}'],
  ['the rainbow flag', '🏳\u{FE0F}\u{200D}🌈'],
  ['the flag of a country', '🇳🇴'],
  ['the flag of Scotland', '🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}'],
  ['keycaps', '1\u{FE0F}\u{20E3} #\u{FE0F}\u{20E3} *\u{FE0F}\u{20E3}'],
  ['Persian', 'می\u{200C}خواهم'],
  ['Persian with a vowel before the joiner', 'عمدتا\u{64B}\u{200C}ها'],
  ['Hindi with a joiner', 'क\u{94D}\u{200D}ष'],
  ['Hindi without a ligature', 'क\u{94D}\u{200C}ष'],
  ['Bengali with the joiner before the virama', 'র\u{200D}\u{9CD}যা'],
  ['Sinhala', 'ශ\u{DCA}\u{200D}රී'],
  ['Malayalam that ends in a half form', 'അവന\u{D4D}\u{200D}'],
])('a name with %s is accepted', (_, name) => {
  expect([name, faultOf(name)]).toEqual([name, null])
})

test('emoji joined in any number and order are accepted', () => {
  const emoji = fc.constantFrom('👩', '👋🏽', '☠\u{FE0F}', '♀', '🏴', '1\u{FE0F}\u{20E3} 😀')
  fc.assert(
    fc.property(fc.array(emoji, { minLength: 1, maxLength: 8 }), (parts) => {
      expect(hasInvisibleCharacter(parts.join('\u{200D}').replaceAll('\u{200D}1', ' 1'))).toBe(false)
    }),
  )
})

test('a name of white space only is required, whichever it is', () => {
  for (const blank of ['', ' ', '\u{A0}', '\u{3000} ', '\t\n', '\u{2028}', '\u{FEFF}']) {
    expect(faultOf(blank)).toBe('name is required.')
  }
})

test('a run of combining marks is told apart from a long text', () => {
  for (const schema of [Name(64), Text(64)]) {
    const fault = (value: string) => explainFault(schema, value, 'name')
    expect(fault(`a${'\u{301}'.repeat(30)}`)).toBeNull()
    expect(fault(`a${'\u{301}'.repeat(31)}`)).toBe('name must have at most 30 combining marks in a row.')
    expect(fault('a'.repeat(65))).toBe('name must have at most 64 characters.')
    expect(fault('a\u{301}'.repeat(300))).toBe('name must have at most 64 characters.')
    expect(Value.Check(schema, 'a\u{301}'.repeat(64))).toBe(true)
  }
})

test.each([
  ['tags', `🏴${'\u{E0061}'.repeat(200_000)}`],
  ['flags', '🏴'.repeat(200_000)],
  ['joiners', '\u{200D}'.repeat(400_000)],
  ['joined emoji', '👩\u{200D}'.repeat(200_000)],
  ['joined letters', 'م\u{200C}'.repeat(200_000)],
])('looking for invisible characters takes linear time for %s', (_, text) => {
  const start = performance.now()
  hasInvisibleCharacter(text)
  expect(performance.now() - start).toBeLessThan(2000)
})
