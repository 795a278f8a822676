import { expect } from 'bun:test'
import { describeLoad, type LoadOptions, startLoad } from '../../support/load.ts'

/** Makes a change while requests come in, prints how many there were, and fails if one of them failed. */
export async function underLoad(
  what: string,
  options: LoadOptions,
  change: () => Promise<unknown>,
): Promise<void> {
  const load = startLoad(options)
  await Bun.sleep(1000)
  const fault = await change().then(
    () => null,
    (error: unknown) => error ?? new Error('The change failed.'),
  )
  await Bun.sleep(1000)
  const report = await load.stop()
  console.log(describeLoad(what, report))
  if (fault !== null) throw fault
  expect(report.sent).toBeGreaterThan(100)
  expect({ failed: report.failed, reasons: report.reasons }).toEqual({ failed: 0, reasons: {} })
}
