import { useLayoutEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { Button } from '../components/button.tsx'
import { useShortcut } from '../shell/shortcuts.ts'
import type { Grid } from './grid.ts'
import type { Panel } from './panel-props.ts'

/** What can be done with the secrets as a whole: beside the app's name, where its head leaves a place for acts. */
export function HeadActs({ may, onOpen }: { may: Grid['may']; onOpen: (panel: Panel) => void }) {
  const [place, setPlace] = useState<Element | null>(null)
  useLayoutEffect(() => setPlace(document.getElementById('app-acts')), [])
  useShortcut('n', () => may.create && onOpen({ panel: 'new' }))
  const acts = (
    <>
      <Button icon="download" onClick={() => onOpen({ panel: 'export' })}>
        Export
      </Button>
      {may.create && (
        <>
          <Button onClick={() => onOpen({ panel: 'paste' })}>Paste .env</Button>
          <Button kind="primary" icon="plus" hint="N" onClick={() => onOpen({ panel: 'new' })}>
            New secret
          </Button>
        </>
      )}
    </>
  )
  return place === null ? <div className="row justify-end mb-4">{acts}</div> : createPortal(acts, place)
}
