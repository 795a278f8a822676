// A field that is not as it must be is given as undefined: what a route leaves out, the router keeps as it stands there.

/** The field of the address as text; nothing where it is absent or empty. */
export const textOf = <K extends string>(
  search: Record<string, unknown>,
  field: K,
): { [F in K]?: string } => {
  const value = search[field]
  // The router reads digits as a number and `true` as a boolean.
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  return { [field]: typeof text === 'string' && text.trim() !== '' ? text : undefined } as {
    [F in K]?: string
  }
}

/** The field of the address where it is one of the known values; nothing where it is another. */
export const oneOf = <K extends string, const V extends string>(
  search: Record<string, unknown>,
  field: K,
  values: readonly V[],
): { [F in K]?: V } =>
  ({ [field]: values.includes(search[field] as V) ? search[field] : undefined }) as { [F in K]?: V }

/** An address without what is off: it has no empty fields. */
export const withoutBlanks = <S extends object>(search: { [K in keyof S]?: S[K] | undefined }): S =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== '')) as S
