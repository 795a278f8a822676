/** A route as the application lists it. */
export type Route = {
  method: string
  path: string
  hooks: Record<string, unknown> & { detail?: Record<string, unknown> }
}

const HEADING = `# What each route asks of its caller

\`none\` asks for nothing; *Needs* names what the deployment must have, whoever calls, or what one field of the body, or
what a request turns out to do, asks for beside. The page is [generated](development.md#generated-files) from the routes. A line that changes is a decision about who may do what: review it as such.
`

/** What a route declares to ask of its caller; null when it declares nothing. */
export const permissionOf = ({ hooks }: Route): string | null =>
  (hooks.detail?.['x-permission'] as string | undefined) ?? null

/** The table of every route and its permission, in Markdown, by path. */
export function permissionTable(routes: readonly Route[]): string {
  const lines = routes
    .map((route) => {
      const { method, path, hooks } = route
      const condition = String(hooks.detail?.['x-condition'] ?? '')
      return [path.replace(/(.)\/$/, '$1'), method, permissionOf(route) ?? '', condition] as const
    })
    .sort((one, other) => (one.join(' ') < other.join(' ') ? -1 : 1))
    .map(
      ([path, method, permission, condition]) => `| ${method} | \`${path}\` | ${permission} | ${condition} |`,
    )
  return [HEADING, '| Method | Path | Permission | Needs |', '|---|---|---|---|', ...lines, ''].join('\n')
}
