import { expect } from 'bun:test'

/** Compares a generated file with what it should hold. With `UPDATE=1` it is written first: review what changed. */
export async function expectGenerated(file: string, content: string): Promise<void> {
  if (process.env.UPDATE === '1') await Bun.write(file, content)
  const found = Bun.file(file)
  expect(
    (await found.exists()) ? await found.text() : null,
    `${file} is out of date. Run this test with UPDATE=1 to write it, and review what changed.`,
  ).toBe(content)
}
