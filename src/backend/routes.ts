type Route = { method: string; path: string }

/** Finds the methods that a path answers to, whatever the method asked for; none for an unknown path. */
export function methodsByPath(routes: () => readonly Route[]) {
  let table: ReturnType<typeof build> | null = null
  return (path: string): readonly string[] => {
    table ??= build(routes())
    const bare = path.replace(/(.)\/$/, '$1')
    return table.literal.get(bare) ?? table.patterns.find(({ pattern }) => pattern.test(bare))?.methods ?? []
  }
}

/** A literal path goes before a pattern that it would match too. */
function build(routes: readonly Route[]) {
  const byPath = new Map<string, string[]>()
  for (const { method, path } of routes) {
    const bare = path.replace(/(.)\/$/, '$1')
    const methods = method === 'GET' ? ['GET', 'HEAD'] : [method]
    byPath.set(bare, [...(byPath.get(bare) ?? []), ...methods].sort())
  }
  const literal = new Map([...byPath].filter(([path]) => !path.includes(':')))
  const patterns = [...byPath]
    .filter(([path]) => path.includes(':'))
    .map(([path, methods]) => ({ pattern: new RegExp(`^${path.replace(/:[a-z_]+/g, '[^/]+')}$`), methods }))
  return { literal, patterns }
}
