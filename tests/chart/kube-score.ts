import { spawnSync } from 'node:child_process'

/** One thing that kube-score would have otherwise: in which check, at which object, and in what words. */
export type Finding = { check: string; object: string; text: string }

type Comment = { path: string; summary: string }
type Check = { check: { id: string }; grade: number; skipped: boolean; comments: Comment[] | null }
type Scored = { object_name: string; checks: Check[] }

/** The version is the oldest that the chart is for. */
const OPTIONS = ['--all-default-optional', '--output-format', 'json', '--kubernetes-version', 'v1.30']
const ALL_OK = 10

/** What kube-score finds in these manifests with every check that it has. */
export function findings(manifests: string): Finding[] {
  const program = process.env.KEYWARD_TEST_KUBE_SCORE || 'kube-score'
  const words = ['score', '-', ...OPTIONS]
  const result = spawnSync(program, words, { input: manifests, encoding: 'utf8', maxBuffer: 1 << 26 })
  if (result.error) throw result.error
  if (result.stderr) throw new Error(result.stderr)
  return (JSON.parse(result.stdout) as Scored[]).flatMap(({ object_name, checks }) =>
    checks
      .filter(({ skipped, grade }) => !skipped && grade < ALL_OK)
      .flatMap((check) => of(object_name, check)),
  )
}

/** The container stands before what is said of it. */
function of(objectName: string, { check, comments }: Check): Finding[] {
  const [kind, name] = [objectName.split('/')[0], objectName.split('/').at(-1)]
  const said = comments?.length ? comments : [{ path: '', summary: 'no comment' }]
  return said.map(({ path, summary }) => ({
    check: check.id,
    object: `${kind} ${name}`,
    text: path ? `${path}: ${summary}` : summary,
  }))
}
