/** Asks again and again until the answer is true; fails with what was awaited once `seconds` have passed. */
export async function eventually(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  seconds = 10,
): Promise<void> {
  const deadline = performance.now() + seconds * 1000
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`Not within ${seconds} s: ${what}.`)
    await Bun.sleep(20)
  }
}
