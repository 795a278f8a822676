let lead: (() => void) | null = null

/** Says what happens where the API refuses everything until a second factor is set up. */
export function onFactorNeeded(listener: () => void): void {
  lead = listener
}

/** Leads to where a second factor is set up. */
export const tellFactorNeeded = (): void => lead?.()
