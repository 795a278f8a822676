import { inWords } from '../components/words.ts'

/** An app with what can be opened of it. */
export type OpenApp = Readonly<{
  id: string
  name: string
  environments: readonly Readonly<{ name: string }>[]
}>

/** The app and environment for examples: the first that can be opened, or names that say what goes there. */
export function placesOf(apps: readonly OpenApp[]): { app: string; appId: string; environment: string } {
  const first = apps.find(({ environments }) => environments.length > 0)
  return {
    app: first?.name ?? 'APP',
    appId: first?.id ?? 'ID-OF-THE-APP',
    environment: first?.environments[0]?.name ?? 'ENVIRONMENT',
  }
}

/** What can be opened, in short: "Production of Ledger and Billing", "12 environments of 9 apps". */
export function summaryOf(apps: readonly OpenApp[]): string {
  const names = new Set(apps.flatMap(({ environments }) => environments.map(({ name }) => name)))
  const count = apps.reduce((sum, { environments }) => sum + environments.length, 0)
  if (count === 0) return 'nothing yet'
  if (names.size === 1)
    return `${[...names][0]} of ${apps.length <= 3 ? inWords(apps.map(({ name }) => name)) : `${apps.length} apps`}`
  if (apps.length === 1)
    return `${inWords(apps[0]?.environments.map(({ name }) => name) ?? [])} of ${apps[0]?.name}`
  return `${count} environments of ${apps.length} apps`
}
