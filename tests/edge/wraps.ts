// On another runtime: prints what it wraps for the identity key that is the argument, before libsodium is there and after.
import process from 'node:process'
import { encapsulate, prepareRecipient } from '../../src/core/keys/wrapping.ts'
import { fastestAead, inJavaScript, loadFastestAead } from '../../src/core/keys/xchacha20poly1305.ts'

const recipient = prepareRecipient(process.argv[2] ?? '')
const wrap = () => {
  using encapsulation = encapsulate(recipient)
  return [encapsulation.wrap('the seed'), encapsulation.wrap('the salt')]
}
const before = wrap()
await loadFastestAead()
const isFaster = fastestAead() !== inJavaScript
process.stdout.write(JSON.stringify({ before, after: wrap(), isFaster }))
