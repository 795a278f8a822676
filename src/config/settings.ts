import { type Static, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { CONFIGURATION, type SecretName, type VariableName } from './variables.ts'

/** The environment: names to values, an empty value being none. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A variable of a sign-in provider, such as KEYCLOAK_ISSUER; not in the table, as its prefix is the provider's name. */
export type ProviderName = `${string}_${'ISSUER' | 'CLIENT_ID' | 'DISPLAY_NAME' | 'SCOPES'}`

/** A variable that holds text which may be printed. */
export type PlainName = Exclude<VariableName, SecretName> | ProviderName

/** The variable of a sign-in provider's secret. */
export type ClientSecretName = `${string}_CLIENT_SECRET`

const DEFAULTS = new Map<string, string | null>(CONFIGURATION.map((row) => [row.name, row.default]))

const Secret32Bytes = Type.String({ pattern: '^[0-9a-fA-F]{64}$' })
const Switch = {
  on: Type.Enum(['true', '1', 'yes', 'on']),
  off: Type.Enum(['false', '0', 'no', 'off']),
}

/**
 * Reads single variables and collects what is wrong with them instead of stopping at the first.
 * After a fault the value returned is only a placeholder of the right type.
 */
export class Settings {
  readonly faults: string[] = []
  readonly #environment: Environment
  readonly #readFile: (path: string) => string

  /** `readFile` returns a file's text and throws where it can't. */
  constructor(environment: Environment, readFile: (path: string) => string) {
    this.#environment = environment
    this.#readFile = readFile
  }

  fault(sentence: string): void {
    this.faults.push(sentence)
  }

  /** Whether the environment states the variable, directly or as a file, whatever its value. */
  isSet(name: VariableName | ProviderName | ClientSecretName): boolean {
    return Boolean(this.#given(name) || this.#given(`${name}_FILE`))
  }

  /** The value or its default without surrounding white space; null when there is neither. */
  text(name: PlainName): string | null {
    const value = this.block(name)
    if (value === null || !hasControlCharacter(value)) return value
    this.fault(`${name} contains a line break or another control character.`)
    return null
  }

  /** Like `text`, for a value that may have several lines. */
  block(name: PlainName): string | null {
    return this.#given(name)?.trim() || (DEFAULTS.get(name) ?? null)
  }

  /** Comma-separated entries, without the empty ones. */
  list(name: PlainName): string[] {
    const entries = (this.text(name) ?? '').split(',').map((entry) => entry.trim())
    return entries.filter((entry) => entry !== '')
  }

  /** One of the words of an enumeration, in any case; null when there is neither a value nor a default. */
  word<const T extends string>(name: PlainName, words: readonly [T, ...T[]]): T | null {
    const value = this.text(name)?.toLowerCase() ?? null
    if (value === null) return null
    const schema = Type.Enum([...words])
    if (Value.Check(schema, value)) return value
    this.reject(name, words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : words[0])
    return words[0]
  }

  /** Text of a form; the schema's `description` says what would be right. */
  form<S extends TSchema>(name: PlainName, schema: S & { description: string }): Static<S> | null {
    const value = this.text(name)
    if (value === null || Value.Check(schema, value)) return value as Static<S> | null
    this.reject(name, schema.description)
    return null
  }

  /** A whole number in decimal digits; null when there is neither a value nor a default, or after a fault. */
  integer(name: PlainName, limits: { minimum: number; maximum: number }): number | null {
    const value = this.text(name)
    if (value === null) return null
    const number = /^[0-9]{1,9}$/.test(value) ? Number(value) : Number.NaN
    if (Value.Check(Type.Integer(limits), number)) return number
    this.reject(name, `a whole number from ${limits.minimum} to ${limits.maximum}`)
    return null
  }

  port(name: PlainName): number | null {
    return this.integer(name, { minimum: 1, maximum: 65_535 })
  }

  boolean(name: PlainName): boolean {
    const value = this.text(name)?.toLowerCase()
    if (Value.Check(Switch.on, value)) return true
    if (!Value.Check(Switch.off, value)) this.reject(name, 'true or false')
    return false
  }

  /** A secret from its variable or from the file that `<NAME>_FILE` names; null when neither is set. */
  secret(name: SecretName | ClientSecretName): string | null {
    return this.#secret(name)
  }

  /** A secret of 32 bytes, written as 64 hexadecimal characters; empty when it is not set. */
  secretBytes(name: SecretName): Uint8Array {
    const value = this.secret(name)
    if (value === null) return new Uint8Array()
    if (Value.Check(Secret32Bytes, value)) return Uint8Array.fromHex(value)
    this.fault(`${name} must be 64 hexadecimal characters: 32 random bytes, as openssl rand -hex 32 prints.`)
    return new Uint8Array()
  }

  /** A file's text; null and a fault that begins with `subject` where it can't be read. */
  file(path: string, subject: string): string | null {
    try {
      return this.#readFile(path)
    } catch (error) {
      this.fault(`${subject} can't be read: ${reason(error)}.`)
      return null
    }
  }

  /** Records that a value can't be used and what would be right. */
  reject(name: PlainName, expectation: string): void {
    const value = this.block(name) ?? ''
    this.fault(`${name}${isPrintable(value) ? ` is ${quoted(value)}; it` : ''} must be ${expectation}.`)
  }

  #secret(name: string): string | null {
    const value = this.#given(name)
    const path = this.#given(`${name}_FILE`)
    if (value && path) {
      this.fault(`${name} and ${name}_FILE are both set; remove one of them.`)
      return null
    }
    const text = path ? this.#secretFile(`${name}_FILE`, path) : (value ?? null)
    if (text === null || !hasControlCharacter(text)) return text
    this.fault(`The value of ${name} contains a line break or another control character.`)
    return null
  }

  #secretFile(name: string, path: string): string | null {
    // Someone may have put the secret here instead of a path: printed only if it looks like a path.
    const subject = /^\.{0,2}[/\\]/.test(path) ? `The file ${quoted(path)} of ${name}` : `The file of ${name}`
    const text = this.file(path, subject)?.replace(/[\r\n]+$/, '') ?? null
    if (text === '') this.fault(`${subject} is empty.`)
    return text || null
  }

  #given(name: string): string | undefined {
    return this.#environment[name] || undefined
  }
}

/** A value between quotation marks, on one line and of bounded length. */
export function quoted(value: string): string {
  return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value)
}

/** Whether a value may be printed: not where it may hold credentials, an e-mail address or a pasted key. */
export function isPrintable(value: string): boolean {
  return value !== '' && !value.includes('@') && !value.includes('-----')
}

function hasControlCharacter(value: string): boolean {
  return /\p{Cc}/u.test(value)
}

function reason(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EACCES' || code === 'EPERM') return 'this process may not read it'
  if (code === 'EISDIR') return 'it is a directory'
  return typeof code === 'string' && /^E[A-Z]+$/.test(code) ? code : 'it is not UTF-8 text'
}
