import fc from 'fast-check'

/** Texts of any script, well-formed as every text that reaches a wrap is. */
export const texts = fc.string({ unit: 'binary', maxLength: 200 })

/** The wire string with one bit of one of its bytes flipped. */
export function flipBit(wire: string, position: number): string {
  const bytes = Buffer.from(wire, 'latin1')
  const bit = position % (bytes.length * 8)
  const index = Math.floor(bit / 8)
  bytes.writeUInt8(bytes.readUInt8(index) ^ (1 << (bit % 8)), index)
  return bytes.toString('latin1')
}

/** The wire string with one bit of the bytes inside its base64 part flipped. */
export function flipSealedBit(wire: string, position: number): string {
  const start = wire.lastIndexOf(':') + 1
  const bytes = Buffer.from(wire.slice(start), 'base64')
  const bit = position % (bytes.length * 8)
  const index = Math.floor(bit / 8)
  bytes.writeUInt8(bytes.readUInt8(index) ^ (1 << (bit % 8)), index)
  return wire.slice(0, start) + bytes.toString('base64')
}

/** Strings that look more or less like a wire string, and are none. */
export function malformed(valid: string): fc.Arbitrary<string> {
  const cut = fc.nat(valid.length - 1).map((length) => valid.slice(0, length))
  const inserted = fc
    .tuple(fc.nat(valid.length), fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }))
    .map(([at, text]) => valid.slice(0, at) + text + valid.slice(at))
  const parts = fc
    .array(fc.oneof(fc.constantFrom(...valid.split(':')), fc.base64String(), fc.string()), { maxLength: 6 })
    .map((all) => all.join(':'))
  return fc.oneof(fc.string({ unit: 'binary' }), cut, inserted, parts).filter((text) => text !== valid)
}

/** The error that the call throws; fails the test when it throws none, or something else than an Error. */
export function errorOf(call: () => unknown): Error {
  try {
    call()
  } catch (error) {
    if (error instanceof Error && error.constructor === Error) return error
    throw new TypeError('Something else than a plain Error was thrown.', { cause: error })
  }
  throw new TypeError('Nothing was thrown.')
}
