/** How long everything is measured: as short as can be with `--quick`, which shows that it works and nothing else. */
export const isQuick = process.argv.includes('--quick')

/** How often each candidate is measured. */
export const ROUNDS = isQuick ? 2 : 5

/** How long each candidate is measured in a round. */
export const SECONDS = isQuick ? 0.3 : 2

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

/** How often a second something runs, by so many at once, each one after the other. */
export async function repeat(work: () => Promise<unknown>, atOnce = 1): Promise<number> {
  const start = performance.now()
  let times = 0
  const one = async () => {
    for (; performance.now() - start < SECONDS * 1000; times++) await work()
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  return (times / (performance.now() - start)) * 1000
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export const quantile = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? 0
