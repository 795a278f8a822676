const ROUNDS = 5

/** How long each candidate is measured in a round. */
export const SECONDS = 2

/** Rates of each candidate, measured one after the other in every round; the median of the rounds. */
export async function inTurns(
  candidates: Record<string, () => Promise<number>>,
): Promise<Map<string, number>> {
  const rates = new Map<string, number[]>(Object.keys(candidates).map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, measure] of Object.entries(candidates)) rates.get(name)?.push(await measure())
  }
  return new Map([...rates].map(([name, measured]) => [name, median(measured)]))
}

/** How often a second something runs, one after the other. */
export async function repeat(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  let times = 0
  for (; performance.now() - start < SECONDS * 1000; times++) await work()
  return (times / (performance.now() - start)) * 1000
}

export function print(title: string, unit: string, rates: Map<string, number>): void {
  const [[, ours] = ['', 0]] = rates
  process.stdout.write(`\n${title}\n`)
  for (const [name, rate] of rates) {
    const ratio = name === 'Keyward' ? '' : `   Keyward is at ${(ours / rate).toFixed(2)} of it`
    process.stdout.write(`  ${Math.round(rate).toString().padStart(7)} ${unit}   ${name}${ratio}\n`)
  }
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export const quantile = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? 0
