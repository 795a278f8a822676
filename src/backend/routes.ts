/** Finds the methods that a path answers to, whatever the method asked for; none for an unknown path. */
export function methodsByPath(routes: () => readonly { method: string; path: string }[]) {
  let table: { pattern: RegExp; methods: string[] }[] | null = null
  return (path: string): readonly string[] => {
    table ??= build(routes())
    return table.find(({ pattern }) => pattern.test(path))?.methods ?? []
  }
}

function build(routes: readonly { method: string; path: string }[]) {
  const byPath = new Map<string, Set<string>>()
  for (const { method, path } of routes) {
    const key = path.replace(/\/$/, '')
    const methods = byPath.get(key) ?? new Set()
    byPath.set(key, methods.add(method))
    if (method === 'GET') methods.add('HEAD')
  }
  // A literal path goes before one with a parameter in its place.
  return [...byPath]
    .sort(([a], [b]) => Number(a.includes(':')) - Number(b.includes(':')))
    .map(([path, methods]) => ({
      pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/:[a-z_]+/g, '[^/]+')}/?$`),
      methods: [...methods].sort(),
    }))
}
