import { afterEach, expect, spyOn, test } from 'bun:test'
import { bunArgon2id as argon2id } from '../../src/platform/argon2id-bun.ts'
import { PasswordsBusy } from '../../src/platform/password-turns.ts'
import { createPasswords } from '../../src/platform/passwords.ts'

const cheap = { memoryCost: 64, timeCost: 1 }
const turn = { account: 'ada' }
/** A stranger from a network of its own. */
const from = (site: unknown) => ({ site: String(site) })
const spies: { mockRestore(): void }[] = []
afterEach(() => {
  for (const spy of spies.splice(0)) spy.mockRestore()
})

test('a hash is an argon2id PHC string with the parameters that OWASP names', async () => {
  const hash = await createPasswords({ argon2id }).hash('correct horse', turn)
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('the same password is hashed with another salt each time', async () => {
  const passwords = createPasswords({ argon2id, ...cheap })
  expect(await passwords.hash('correct horse', turn)).not.toBe(await passwords.hash('correct horse', turn))
})

test('the right password is verified, any other is not', async () => {
  const passwords = createPasswords({ argon2id, ...cheap })
  const hash = await passwords.hash('correct horse', turn)
  expect(await passwords.verify(hash, 'correct horse', turn)).toBe(true)
  for (const wrong of ['correct horsf', 'correct horse ', 'Correct horse', ''])
    expect(await passwords.verify(hash, wrong, turn)).toBe(false)
})

test('a password of 1,024 characters counts to its last one', async () => {
  const passwords = createPasswords({ argon2id, ...cheap })
  const hash = await passwords.hash(`${'x'.repeat(1023)}y`, turn)
  expect(await passwords.verify(hash, `${'x'.repeat(1023)}y`, turn)).toBe(true)
  expect(await passwords.verify(hash, 'x'.repeat(1024), turn)).toBe(false)
})

test('one text typed composed and decomposed is one password', async () => {
  const passwords = createPasswords({ argon2id, ...cheap })
  expect(
    await passwords.verify(await passwords.hash('caf\u00e9 au lait', turn), 'cafe\u0301 au lait', turn),
  ).toBe(true)
  expect(
    await passwords.verify(await passwords.hash('cafe\u0301 au lait', turn), 'caf\u00e9 au lait', turn),
  ).toBe(true)
})

test('a hash made with other parameters still verifies', async () => {
  const hash = await createPasswords({ argon2id, ...cheap }).hash('correct horse', turn)
  expect(
    await createPasswords({ argon2id, memoryCost: 128, timeCost: 2 }).verify(hash, 'correct horse', turn),
  ).toBe(true)
})

test('a malformed stored hash is an error', async () => {
  await expect(
    createPasswords({ argon2id, ...cheap }).verify('no hash', 'correct horse', turn),
  ).rejects.toThrow()
})

test('an unknown account is refused after the same work as a wrong password', async () => {
  const passwords = createPasswords({ argon2id })
  const hash = await passwords.hash('correct horse', turn)
  const spy = spyOn(Bun.password, 'verify')
  spies.push(spy)
  const seconds = async (stored: string | null) => {
    const start = performance.now()
    expect(await passwords.verify(stored, 'wrong horse', turn)).toBe(false)
    return performance.now() - start
  }
  const known: number[] = []
  const unknown: number[] = []
  for (let round = 0; round < 4; round++) {
    known.push(await seconds(hash))
    unknown.push(await seconds(null))
  }
  const shape = (text: unknown) =>
    String(text)
      .split('$')
      .map((part) => (part.includes('=') ? part : part.length))
  const [first, second] = spy.mock.calls
  expect(shape(second?.[1])).toEqual(shape(first?.[1]))
  expect(Math.min(...unknown)).toBeGreaterThan(Math.min(...known) / 2)
})

test('at most so many run at once, the others wait, and beyond the queue they are refused', async () => {
  let running = 0
  let most = 0
  const order: string[] = []
  const gates: (() => void)[] = []
  const spy = spyOn(Bun.password, 'verify').mockImplementation(async (password) => {
    most = Math.max(most, ++running)
    order.push(String(password))
    await new Promise<void>((resolve) => gates.push(resolve))
    running--
    return true
  })
  spies.push(spy)
  const passwords = createPasswords({ argon2id, concurrency: 2, queue: 3 })
  const taken = ['a', 'b', 'c', 'd', 'e'].map((password) => passwords.verify(null, password, from(password)))
  await expect(passwords.hash('f', from('f'))).rejects.toBeInstanceOf(PasswordsBusy)
  await expect(passwords.verify(null, 'g', from('g'))).rejects.toBeInstanceOf(PasswordsBusy)
  while (order.length < 5 || gates.length > 0) {
    gates.shift()?.()
    await Bun.sleep(0)
  }
  expect(await Promise.all(taken)).toEqual(Array(5).fill(true))
  expect({ most, order }).toEqual({ most: 2, order: ['a', 'b', 'c', 'd', 'e'] })
})

test('a failure frees its place', async () => {
  const passwords = createPasswords({ argon2id, ...cheap, concurrency: 1, queue: 1 })
  for (let round = 0; round < 5; round++)
    await expect(passwords.verify('no hash', 'correct horse', turn)).rejects.toThrow()
  expect(await passwords.verify(await passwords.hash('correct horse', turn), 'correct horse', turn)).toBe(
    true,
  )
})

test('by default one core is left to others, where there are several, and twenty wait', async () => {
  const passwords = createPasswords({ argon2id, ...cheap })
  const cores = (await import('node:os')).availableParallelism()
  const atOnce = Math.max(1, cores - 1)
  const all = Array.from({ length: atOnce + 20 + 3 }, (_, i) =>
    passwords.verify(null, 'correct horse', from(i)),
  )
  const refused = (await Promise.allSettled(all)).filter((outcome) => outcome.status === 'rejected')
  expect(refused.length).toBe(3)
})

test('new passwords leave half of the line to those who sign in', async () => {
  const passwords = createPasswords({ argon2id, ...cheap, concurrency: 1, queue: 4 })
  const registrations = Array.from({ length: 6 }, () => passwords.hash('correct horse', from('office')))
  const signIns = ['a', 'b'].map((password) => passwords.verify(null, password, from('office')))
  const hashed = await Promise.allSettled(registrations)
  expect(hashed.filter((outcome) => outcome.status === 'fulfilled').length).toBe(3)
  expect(await Promise.all(signIns)).toEqual([false, false])
})
