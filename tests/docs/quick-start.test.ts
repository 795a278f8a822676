import { afterAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { cleanUp, dataDirectory, readyKeyward } from '../support/keyward.ts'
import { codeBlocks, section } from '../support/markdown.ts'
import { page } from './pages.ts'

afterAll(cleanUp)

test('the quick start runs as it is printed against a new Keyward, and ends with the audit entry that it shows', async () => {
  const quickStart = section(page('README.md'), 'Quick start')
  const keyward = await readyKeyward({ env: { KEYWARD_DATA: await dataDirectory() } })
  const commands = codeBlocks(quickStart, 'sh').join('\n')
  expect(commands).toContain('KEYWARD=http://localhost:8080\n')
  const script = commands.replace('http://localhost:8080', keyward.url)
  const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const answer = JSON.parse(stdout.slice(stdout.lastIndexOf('{"data":')))
  const [shown = ''] = codeBlocks(quickStart, 'json')
  expect(answer).toMatchObject(JSON.parse(shown, (_, value) => (value === '…' ? expect.any(String) : value)))
  expect(await keyward.stop()).toBe(0)
})
