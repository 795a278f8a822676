import { expect, spyOn, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { bunArgon2id } from '../../src/platform/argon2id-bun.ts'
import { wasmArgon2id } from '../../src/platform/argon2id-wasm.ts'
import { createPasswords } from '../../src/platform/passwords.ts'
import { countTurns } from '../support/event-loop.ts'

const program = await readFile(new URL(import.meta.resolve('@phi-ag/argon2/argon2.wasm')))
const wasm = wasmArgon2id(new WebAssembly.Module(program))
const implementations = [
  ['Bun', bunArgon2id, 'WebAssembly', wasm],
  ['WebAssembly', wasm, 'Bun', bunArgon2id],
] as const
const costs = [
  { memoryCost: 8, timeCost: 1 },
  { memoryCost: 64, timeCost: 3 },
]
const passwords = ['correct horse', 'пароль 密码 🔑', 'é', 'x'.repeat(1024), 'a\u0000b']

test.each(implementations)(
  'what %s hashes, both verify, and no other password is taken for it',
  async (_, one, __, other) => {
    for (const cost of costs) {
      for (const password of passwords) {
        const hash = await one.hash(password, cost)
        expect(hash).toMatch(/^\$argon2id\$v=19\$m=\d+,t=\d,p=1\$[\w+/]{43}\$[\w+/]{43}$/)
        for (const each of [one, other]) {
          expect(await each.verify(hash, password)).toBe(true)
          expect(await each.verify(hash, `${password}x`)).toBe(false)
        }
      }
    }
  },
)

test('every byte of a password counts, also where a character has several', async () => {
  const hash = await wasm.hash('密码é', { memoryCost: 64, timeCost: 1 })
  for (const other of ['密码è', '密码', '密码e', '密码éé']) expect(await wasm.verify(hash, other)).toBe(false)
})

test('a stored text that is no hash of argon2id is an error, not a wrong password', async () => {
  const argon2i = '$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b/dWRWJTmaaJObG'
  for (const text of ['', 'no hash', '$2b$10$abc', argon2i])
    await expect(wasm.verify(text, 'x')).rejects.toThrow()
})

test('no password stays in the memory of WebAssembly', async () => {
  let memory: WebAssembly.Memory | undefined
  const instance = WebAssembly.Instance
  const spy = spyOn(WebAssembly, 'Instance').mockImplementation(((module: WebAssembly.Module) => {
    const made = new instance(module)
    memory = made.exports.memory as WebAssembly.Memory
    return made
  }) as never)
  const one = wasmArgon2id(new WebAssembly.Module(program))
  const hash = await one.hash('a needle in a haystack', { memoryCost: 64, timeCost: 1 })
  await one.verify(hash, 'another needle')
  spy.mockRestore()
  const text = Buffer.from(memory?.buffer ?? new ArrayBuffer()).toString('latin1')
  expect(text.length).toBeGreaterThan(64 * 1024)
  expect(text).not.toContain('needle')
})

test('a password that was set on one runtime opens the account on the other, in its normal form', async () => {
  const turn = { account: 'ada' }
  const [onBun, elsewhere] = [bunArgon2id, wasm].map((argon2id) => createPasswords({ argon2id }))
  const hash = (await onBun?.hash('Zo\u00eb correct horse', turn)) ?? ''
  expect(await elsewhere?.verify(hash, 'Zoe\u0308 correct horse', turn)).toBe(true)
  expect(await elsewhere?.verify(null, 'Zoe\u0308 correct horse', turn)).toBe(false)
})

test('others have the event loop after each hash in WebAssembly', async () => {
  const cost = { memoryCost: 8192, timeCost: 2 }
  const passwords = createPasswords({ argon2id: wasm, concurrency: 1, ...cost })
  const stored = await wasm.hash('right', cost)
  using loop = countTurns()
  const all = Array.from({ length: 6 }, () => passwords.verify(stored, 'wrong', { member: 'ada' }))
  expect(await Promise.all(all)).toEqual(Array(6).fill(false))
  expect(loop.turns).toBeGreaterThan(6 * 20)
})
