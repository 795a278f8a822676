import { afterAll, expect, test } from 'bun:test'
import {
  cleanUp,
  dataDirectory,
  isListening,
  type Keyward,
  postgresPort,
  readyKeyward,
} from '../support/keyward.ts'

afterAll(cleanUp)

const start = async () => {
  const directory = await dataDirectory()
  const keyward = await readyKeyward({
    command: [process.execPath, 'start'],
    env: { KEYWARD_DATA: directory },
  })
  return { directory, keyward }
}

test.each([
  [
    'Ctrl-C, which reaches the whole process group',
    (keyward: Keyward) => process.kill(-Number(keyward.child.pid), 'SIGINT'),
  ],
  ['SIGTERM to the command alone', (keyward: Keyward) => process.kill(Number(keyward.child.pid), 'SIGTERM')],
])('bun start ends everything on %s', async (_, signal) => {
  const { directory, keyward } = await start()
  const port = Number(await postgresPort(directory))
  expect(await isListening(port)).toBe(true)
  signal(keyward)
  // Its output closes when the last process that holds it has ended.
  expect(await keyward.exited).toBe(0)
  expect(await isListening(port)).toBe(false)
  expect(await isListening(Number(new URL(keyward.url).port))).toBe(false)
  expect(await postgresPort(directory)).toBeNull()
})
