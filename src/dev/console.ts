import { watch } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildConsole } from '../frontend/build.ts'

const APP = fileURLToPath(new URL('../frontend/app', import.meta.url))

/** An editor saves a file in several steps, and several files at once. */
const PAUSE_MS = 100

/** Builds the console for development, and again after each change of its sources. */
export async function rebuildConsole(): Promise<void> {
  await build()
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(APP, { recursive: true }, () => {
    clearTimeout(timer)
    timer = setTimeout(build, PAUSE_MS)
  })
}

async function build(): Promise<void> {
  try {
    await buildConsole({ force: true, development: true })
  } catch (error) {
    // The server stays, with the build that it has, until the next change.
    process.stderr.write(
      `The console could not be built: ${error instanceof AggregateError ? error.errors.join('\n') : error}\n`,
    )
  }
}
