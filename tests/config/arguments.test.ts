import { expect, test } from 'bun:test'
import { readOptions } from '../../src/config/arguments.ts'

test.each([
  ['migrate', [], { url: null }],
  ['migrate', ['--wait', '--timeout', '5'], { wait: true, timeout: '5', url: null }],
  ['migrate', ['--via=http://a/', '--wait'], { wait: true, via: 'http://a/', url: null }],
  ['health', [], { url: null }],
  ['health', ['http://a/'], { url: 'http://a/' }],
  ['health', ['http://a/', '--timeout', '30'], { url: 'http://a/', timeout: '30' }],
  ['serve', [], { url: null }],
])('%s with %j is understood', (role, args, options) => {
  expect(readOptions(role, args)).toEqual(options)
})

test.each([
  ['migrate', ['--wiat']],
  ['migrate', ['--wait', '--timeout']],
  ['migrate', ['--wait=no']],
  ['migrate', ['http://a/']],
  ['health', ['--wait']],
  ['backend', ['--wait']],
  ['serve', ['backend']],
])('%s with %j is not', (role, args) => {
  expect(readOptions(role, args)).toBeNull()
})
