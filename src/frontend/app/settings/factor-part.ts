/** Does something that needs a recent sign-in. */
export type Recently = <T>(act: () => Promise<T>) => Promise<T>

/** What each part of the factors takes: it tells of changes, and of recovery codes that came with one. */
export type FactorPart = { recently: Recently; onChanged: (recoveryCodes?: readonly string[] | null) => void }
