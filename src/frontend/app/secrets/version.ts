import type { SecretVersion } from '../../../core/secrets/version.ts'

/** A state that a secret was in, in clear. The value of a sealed one stays closed: it is null. */
export type Version = Omit<SecretVersion, 'key' | 'value' | 'comment' | 'keyDigest'> & {
  key: string
  value: string | null
  comment: string
  /** What is different from the version before, in words. */
  changed: string
}

/** A version as it was opened, with the sealed text of its value: sealed values are compared by it. */
export type OpenedVersion = Omit<Version, 'changed'> & { sealedValue: string }
