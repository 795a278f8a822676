import { useQuery } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import { accessQuery } from '../access/queries.ts'
import { can } from '../api/me.ts'
import { Button } from '../components/button.tsx'
import { Check } from '../components/cell.tsx'
import { CopyButton, CopyField } from '../components/copy-field.tsx'
import { exactDay } from '../components/date-time.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Segments } from '../components/page-head.tsx'
import { useViewer } from '../shell/viewer.ts'
import { placesOf, summaryOf } from './places.ts'
import type { IssuedToken } from './queries.ts'
import { FORMATS, usesOf } from './tokens.ts'

type IssuedTokenProps = { accountId: string; issued: IssuedToken; onKept: () => void }

/** Shows a new token, this once: the dialog stays until its reader says that it is kept. */
export function IssuedTokenDialog({ accountId, issued, onKept }: IssuedTokenProps) {
  const [isKept, setKept] = useState(false)
  useBlocker({ shouldBlockFn: () => !isKept, enableBeforeUnload: () => !isKept })
  return (
    <Dialog
      open
      dismissible={false}
      onClose={() => {}}
      title="Copy the token now"
      text={`“${issued.name}” is shown this once. Keyward keeps only its hash and can’t show it again.`}
      acts={
        <>
          <span className="small dim mr-auto">Lost it? Revoke it and make another.</span>
          <Button
            kind="primary"
            disabledBecause={isKept ? null : 'Put the token in a safe place first, and tick the box.'}
            onClick={onKept}
          >
            Done
          </Button>
        </>
      }
    >
      <div className="stack">
        <CopyField label="The token" text={issued.token} secret />
        <HowToUse accountId={accountId} issued={issued} />
        <label className="row">
          <Check checked={isKept} onChange={(event) => setKept(event.target.checked)} />I have put it in a
          safe place
        </label>
      </div>
    </Dialog>
  )
}

function HowToUse({ accountId, issued }: { accountId: string; issued: IssuedToken }) {
  const mayRead = can(useViewer(), 'read', 'ServiceAccounts')
  const { data: access } = useQuery({ ...accessQuery('service_account', accountId), enabled: mayRead })
  const apps = access?.data.apps ?? []
  const uses = usesOf(issued.format, location.origin, placesOf(apps))
  const [chosen, setChosen] = useState(uses[0]?.value ?? '')
  const use = uses.find(({ value }) => value === chosen)
  return (
    <>
      <div>
        <p className="label">Use it</p>
        <Segments label="How to use it" value={chosen} options={uses} onChange={setChosen} />
      </div>
      {use !== undefined && (
        <div className="copy" role="group" aria-label={`The lines for ${use.label}`}>
          <pre>
            <code>{use.lines}</code>
          </pre>
          <CopyButton text={use.lines} what={`the lines for ${use.label}`} />
        </div>
      )}
      <dl className="pair">
        <dt>Format</dt>
        <dd>{FORMATS.find(({ value }) => value === issued.format)?.label}</dd>
        <dt>Ends</dt>
        <dd>{issued.expiresAt === null ? 'Never, until it is revoked' : exactDay(issued.expiresAt)}</dd>
        <dt>Opens</dt>
        <dd>{access === undefined ? '…' : summaryOf(apps)}</dd>
      </dl>
    </>
  )
}
