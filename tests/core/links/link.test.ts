import { expect, test } from 'bun:test'
import { randomBytes, randomUUID } from 'node:crypto'
import type { Context } from '../../../src/context.ts'
import { isLinkOf, type LinkPurpose, linkRowId, linkToken, linkUrl } from '../../../src/core/links/link.ts'
import { testConfig } from '../../support/context.ts'

const purposes: LinkPurpose[] = ['invite', 'verify-email', 'reset-password']
const ctx = { config: testConfig() } as Context
const row = () => ({ id: randomUUID(), nonce: randomBytes(32) })

test('a token is the row’s id and 43 characters, the same whenever it is computed', () => {
  const one = row()
  const token = linkToken(ctx, 'invite', one)
  expect(token).toMatch(/^[0-9a-f]{32}[A-Za-z0-9_-]{43}$/)
  expect(linkToken(ctx, 'invite', { id: one.id, nonce: Buffer.from(one.nonce) })).toBe(token)
  expect(linkRowId(token)).toBe(one.id)
  expect(isLinkOf(ctx, 'invite', one, token)).toBe(true)
})

test('a token of one purpose is none of another', () => {
  const one = row()
  for (const made of purposes) {
    for (const used of purposes) {
      expect(isLinkOf(ctx, used, one, linkToken(ctx, made, one))).toBe(made === used)
    }
  }
})

test('a token is worth nothing for another row, another nonce or under another SECRET_KEY', () => {
  const one = row()
  const token = linkToken(ctx, 'invite', one)
  expect(isLinkOf(ctx, 'invite', { ...one, id: randomUUID() }, token)).toBe(false)
  expect(isLinkOf(ctx, 'invite', { ...one, nonce: randomBytes(32) }, token)).toBe(false)
  const other = { config: testConfig({ SECRET_KEY: 'ab'.repeat(32) }) } as Context
  expect(isLinkOf(other, 'invite', one, token)).toBe(false)
})

test('every changed character makes it another token', () => {
  const one = row()
  const token = linkToken(ctx, 'invite', one)
  for (let at = 0; at < token.length; at++) {
    const changed = token.slice(0, at) + (token[at] === 'b' ? 'c' : 'b') + token.slice(at + 1)
    expect(isLinkOf(ctx, 'invite', one, changed)).toBe(false)
  }
})

test.each([
  '',
  'x',
  randomUUID(),
  'g'.repeat(75),
  `${'a'.repeat(32)}${'b'.repeat(42)}`,
  `${'a'.repeat(32)}${'b'.repeat(44)}`,
  `${'A'.repeat(32)}${'b'.repeat(43)}`,
  `${'a'.repeat(32)}${'b'.repeat(42)}\n`,
  `${'a'.repeat(32)}${'é'.repeat(43)}`,
])('%j has not the form of a token', (text) => {
  expect(linkRowId(text)).toBeNull()
  expect(isLinkOf(ctx, 'invite', row(), text)).toBe(false)
})

test('a link leads to the public origin with its token in the fragment', () => {
  const one = row()
  for (const purpose of purposes) {
    expect(linkUrl(ctx, purpose, one)).toBe(`http://localhost/${purpose}#${linkToken(ctx, purpose, one)}`)
  }
})
