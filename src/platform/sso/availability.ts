import type { Log } from '../log.ts'

/** What is known of whether a provider can be reached, by the last attempt. */
export type Availability = Readonly<{
  isAvailable(): boolean
  /** When the provider was last reached or not, in the caller's seconds; null before. */
  attemptedAt(): number | null
  reached(at: number): void
  /** `cause` is a sentence for the operator. */
  failed(at: number, cause: string): void
}>

/** A provider that is taken to be there until it was first tried. Each change is a line in the log. */
export function createAvailability(provider: string, log: Log | null): Availability {
  let isAvailable = true
  let at: number | null = null
  return {
    isAvailable: () => isAvailable,
    attemptedAt: () => at,
    reached(now) {
      if (!isAvailable) log?.info({ provider }, 'A provider of single sign-on can be reached again')
      isAvailable = true
      at = now
    },
    failed(now, cause) {
      if (isAvailable) log?.warn({ provider, cause }, "A provider of single sign-on can't be reached")
      isAvailable = false
      at = now
    },
  }
}
