import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { isSealed, MAX_BYTES, sealedLength } from '../../../src/core/secrets/sealed.ts'
import { seal } from '../../support/secrets.ts'

test('every sealed text has the form, and the length that follows from its bytes', () => {
  for (const bytes of [0, 1, 2, 3, 44, 256, 4096, 65_536]) {
    const text = seal('x'.repeat(bytes))
    expect(isSealed(text)).toBe(true)
    expect(text).toHaveLength(sealedLength(bytes))
  }
  expect(sealedLength(MAX_BYTES.value)).toBe(71 + 4 * Math.ceil((65_536 + 40) / 3))
})

test('a text with anything changed about its form is not sealed', () => {
  const text = seal('some value')
  const [, , key = '', encoded = ''] = text.split(':')
  const others = [
    '',
    'plain',
    text.slice(1),
    text.replace('ph:v1', 'ph:v2'),
    text.replace(key, key.toUpperCase()),
    text.replace(key, key.slice(1)),
    `${text}:`,
    `${text}\n`,
    ` ${text}`,
    `ph:v1:${key}:`,
    `ph:v1:${key}:${Buffer.alloc(39).toString('base64')}`,
    `ph:v1:${key}:${encoded.replace(/=*$/, '')}`.replace(/=+$/, ''),
    `ph:v1:${key}:${Buffer.alloc(40).toString('base64').replace('A==', 'B==')}`,
    `ph:v1:${key}:${encoded.replace(/[A-Za-z]/, '-')}`,
    `ph:v1:${key}:${encoded.slice(0, 8)}\n${encoded.slice(8)}`,
  ].filter((other) => other !== text)
  for (const other of others) expect(isSealed(other), JSON.stringify(other)).toBe(false)
})

test('no text takes long to look at, whatever it is', () => {
  const start = performance.now()
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), fc.nat(90_000), (text, times) => {
      isSealed(`ph:v1:${'a'.repeat(64)}:${text.repeat(1 + Math.floor(times / (text.length + 1)))}`)
    }),
  )
  expect(performance.now() - start).toBeLessThan(5000)
})
