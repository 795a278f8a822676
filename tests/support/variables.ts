import { type Command, type Config, ConfigError, readConfig } from '../../src/config.ts'

/** Variables of a test; an undefined one is not set. */
export type Variables = Record<string, string | undefined>

/** What `serve` needs with its embedded database. */
export const embeddedVariables = { SECRET_KEY: 'a1'.repeat(32), SERVER_SECRET: 'b2'.repeat(32) }

/** What every role can start with. */
export const externalVariables = {
  ...embeddedVariables,
  DATABASE_URL: 'postgres://keyward:pass%40word@db.internal:5433/access',
  HOST: 'keyward.example.org',
}

/** The backend's configuration with these variables beside what it needs. */
export function backendConfig(variables: Variables): Config {
  return readConfig('backend', { ...externalVariables, ...variables })
}

/** The faults of exactly this environment; empty when it can be used. */
export function faultsOf(role: Command, variables: Variables): readonly string[] {
  try {
    readConfig(role, variables)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

/** The backend's faults with these variables beside what it needs. */
export function backendFaults(variables: Variables): readonly string[] {
  return faultsOf('backend', { ...externalVariables, ...variables })
}

/** Rows of a table test, each led by its variables on one short line for the name of the test. */
export function labelled<T>(rows: readonly [Variables, T][]): [string, Variables, T][] {
  return rows.map(([variables, expected]) => {
    const settings = Object.entries(variables).map(([name, value]) => `${name}=${value?.slice(0, 40)}`)
    return [settings.join(' ').replaceAll('\n', ' ') || 'no more', variables, expected]
  })
}

/** A certificate authority that signed nothing. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBizCCATGgAwIBAgIUMX3oOAq6D1JaJoFmwEAX3BQwG5AwCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPS2V5d2FyZCB0ZXN0IENBMCAXDTI2MTEyMTA5MzExM1oYDzIx
MjYxMDI4MDkzMTEzWjAaMRgwFgYDVQQDDA9LZXl3YXJkIHRlc3QgQ0EwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAARAm8NOWq8oE6ygoDvNyv86i9DxwRCyD643Bzoz
wvrZoDMExEpnv8JB5eMZDT6KWQT9yJ8z0N/jfHsjpj4gVnxFo1MwUTAdBgNVHQ4E
FgQUSjhS3o4Ytfvm+tuqrflcJXl4q6EwHwYDVR0jBBgwFoAUSjhS3o4Ytfvm+tuq
rflcJXl4q6EwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiBsw2Js
8yC5hbPKMu/Bhj71JGfUAH2JnUeCzjG41AwBgQIhAIduuNevs6Rq8waSqdAl+nnl
weeY8pfIySRSl4lmEklA
-----END CERTIFICATE-----
`
