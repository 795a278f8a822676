import { useState } from 'react'
import { CopyButton, CopyField } from '../components/copy-field.tsx'
import { exactDay } from '../components/date-time.tsx'
import { Segments } from '../components/page-head.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { type OpenApp, placesOf, summaryOf } from './places.ts'
import { FORMATS, type IssuedToken } from './token.ts'
import { usesOf } from './uses.ts'

type IssuedTokenProps = {
  issued: IssuedToken
  /** What the token opens, as far as it is known: the lines that use it name the first. */
  apps: readonly OpenApp[] | undefined
  onKept: () => void
}

/** Shows a new token, this once: the dialog stays until its reader says that it is kept. */
export const IssuedTokenDialog = ({ issued, apps, onKept }: IssuedTokenProps) => (
  <ShownOnce
    title="Copy the token now"
    text={`“${issued.name}” is shown this once. Keyward keeps only its hash and can’t show it again.`}
    lost="Lost it? Revoke it and make another."
    onDone={onKept}
  >
    <CopyField label={`The token ${issued.name}`} text={issued.token} secret />
    <HowToUse issued={issued} apps={apps} />
  </ShownOnce>
)

function HowToUse({ issued, apps }: Omit<IssuedTokenProps, 'onKept'>) {
  const uses = usesOf(issued.format, location.origin, placesOf(apps ?? []))
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
        {apps !== undefined && (
          <>
            <dt>Opens</dt>
            <dd>{summaryOf(apps)}</dd>
          </>
        )}
      </dl>
    </>
  )
}
