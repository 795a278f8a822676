/** The set with the name, or without it where it has it. */
export function toggled<T>(set: ReadonlySet<T>, name: T): ReadonlySet<T> {
  const next = new Set(set)
  if (!next.delete(name)) next.add(name)
  return next
}
