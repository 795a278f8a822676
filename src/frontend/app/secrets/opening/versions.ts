import type { NamedEnvironment } from '../secret-rows.ts'
import type { OpenedVersion } from '../version.ts'
import { loadKeyRing } from './environment-keys.ts'
import { opener } from './sealed-text.ts'

type Sealed = Omit<OpenedVersion, 'key' | 'value' | 'comment' | 'sealedValue'> & {
  key?: string
  value?: string
  comment?: string
}

const AT_ONCE = 50

/** Opens the versions of a secret with the keys of the environment that it was sealed for. Values of sealed ones stay closed. */
export async function openVersions(
  versions: readonly Sealed[],
  environments: readonly NamedEnvironment[],
): Promise<{ environment: NamedEnvironment; opened: OpenedVersion[] }> {
  const ring = await loadKeyRing()
  const found = environments.flatMap((environment) => {
    const keys = ring(environment.id)
    if (keys === null) return []
    const open = opener(keys.pair)
    return canOpen(open, versions.at(-1)?.key ?? '') ? [{ environment, open }] : []
  })[0]
  if (found === undefined)
    throw new Error('Your keys open no version of this secret. It may have been sealed for other keys.')
  const opened: OpenedVersion[] = []
  for (const [place, { key = '', value = '', comment = '', ...rest }] of versions.entries()) {
    if (place % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => setTimeout(resolve))
    opened.push({
      ...rest,
      key: found.open(key),
      value: rest.type === 'sealed' ? null : found.open(value),
      comment: comment === '' ? '' : found.open(comment),
      sealedValue: value,
    })
  }
  return { environment: found.environment, opened }
}

function canOpen(open: (sealed: string) => string, sealed: string): boolean {
  try {
    open(sealed)
    return true
  } catch {
    return false
  }
}
