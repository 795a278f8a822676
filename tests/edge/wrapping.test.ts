import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { generateIdentityKeys } from '../../src/core/keys/identity-keys.ts'
import { clientIdentity, clientUnwrap } from '../core/keys/published-format.ts'

const root = join(import.meta.dir, '../..')

test('what Deno wraps, with libsodium and without, opens in a client made with libsodium', async () => {
  const { publicKey, privateKey } = generateIdentityKeys()
  const program = join(root, 'node_modules/deno/deno')
  const deno = Bun.spawn(
    [program, 'run', '-A', '--node-modules-dir=manual', 'tests/edge/wraps.ts', publicKey],
    { cwd: root, stdout: 'pipe', stderr: 'inherit' },
  )
  const { before, after, isFaster } = (await new Response(deno.stdout).json()) as {
    before: string[]
    after: string[]
    isFaster: boolean
  }
  expect(isFaster).toBe(true)
  const { x25519 } = clientIdentity(privateKey)
  for (const wraps of [before, after]) {
    expect(wraps.map((wrapped) => clientUnwrap(wrapped, x25519))).toEqual(['the seed', 'the salt'])
  }
}, 60_000)
