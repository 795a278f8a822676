/** Runs `docker` with arguments and gives what it printed; fails with what it complained of. */
export async function docker(...args: string[]): Promise<string> {
  const child = Bun.spawn(['docker', ...args], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [output, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) !== 0) throw new Error(`docker ${args[0]}: ${complaint.trim()}`)
  return output.trim()
}

/** What Docker knows of an image or a container, by a Go template such as `{{json .Config}}`. */
export async function inspect(name: string, template: string): Promise<unknown> {
  const text = await docker('inspect', '--format', template, name)
  return JSON.parse(text)
}

/** The options of a container that may do as little as on a cluster. */
export const RESTRICTED = [
  '--read-only',
  '--tmpfs=/tmp:rw,noexec',
  '--cap-drop=ALL',
  '--security-opt=no-new-privileges',
] as const
