import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { Empty } from '../components/pieces.tsx'
import { useGrid } from './grid.ts'
import type { Panel } from './panel-props.ts'

/** What the marks in the grid mean. */
export const GridLegend = () => (
  <p className="key mt-2.5">
    <span>
      <b className="eq">A</b>Same letter in a row: same value
    </span>
    <span>
      <b className="eq B">B</b>Another letter: another value
    </span>
    <span>
      <span className="ref mono">
        {'$'}
        {'{KEY}'}
      </span>
      Reference
    </span>
    <span>
      <Icon name="lock" small />
      Sealed: can be replaced, never shown
    </span>
    <span>
      <Icon name="eye" small />
      Opening this page counts as reading: the audit log says so, values shown or not
    </span>
  </p>
)

/** Stands where an app has no secrets yet, and says how to begin. */
export function NoSecrets({ app, onOpen }: { app: { name: string }; onOpen: (panel: Panel) => void }) {
  const { may } = useGrid()
  return (
    <Empty
      title={`${app.name} has no secrets yet`}
      act={
        may.create && (
          <div className="row justify-center">
            <Button onClick={() => onOpen({ panel: 'paste' })}>Paste .env</Button>
            <Button kind="primary" icon="plus" onClick={() => onOpen({ panel: 'new' })}>
              New secret
            </Button>
          </div>
        )
      }
    >
      A secret is a key and a value, one value for each environment. Paste the .env file that you have, or add
      the first one.
    </Empty>
  )
}
