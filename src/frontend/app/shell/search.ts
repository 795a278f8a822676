/** The field of the address as text; nothing where it is absent or empty. */
export const textOf = <K extends string>(
  search: Record<string, unknown>,
  field: K,
): { [F in K]?: string } => {
  const value = search[field]
  // The router reads digits as a number and `true` as a boolean.
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  return typeof text === 'string' && text !== '' ? ({ [field]: text } as { [F in K]?: string }) : {}
}

/** The field of the address where it is one of the known values; nothing where it is another. */
export const oneOf = <K extends string, V extends string>(
  search: Record<string, unknown>,
  field: K,
  values: readonly V[],
): { [F in K]?: V } =>
  values.includes(search[field] as V) ? ({ [field]: search[field] } as { [F in K]?: V }) : {}
