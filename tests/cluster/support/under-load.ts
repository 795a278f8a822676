import { expect } from 'bun:test'
import { describeLoad, type LoadOptions, type LoadReport, startLoad } from '../../support/load.ts'
import { everyday, expectWritten } from '../../support/typical-requests.ts'
import type { Account, Address } from './account.ts'

/** Makes a change during everyday use: no request may fail, and what was written must be there afterwards. */
export async function inEverydayUse(
  what: string,
  address: Address,
  { token }: Account,
  change: () => Promise<unknown>,
): Promise<void> {
  const report = await underLoad(what, { ...address, requests: everyday(token) }, change)
  await expectWritten(address, token, report)
}

/** Makes a change while requests come in, prints how many there were, and fails if one of them failed. */
export async function underLoad(
  what: string,
  options: LoadOptions,
  change: () => Promise<unknown>,
): Promise<LoadReport> {
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
  return report
}
