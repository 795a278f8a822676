import { useState } from 'react'
import { CopyButton, CopyField } from '../components/copy-field.tsx'
import { exactDay } from '../components/date-time.tsx'
import { LoopbackNote } from '../components/loopback.tsx'
import { Segments } from '../components/page-head.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { type OpenApp, placesOf, summaryOf } from './places.ts'
import { FORMATS, type IssuedToken } from './token.ts'
import { PHASE_CLI, usesOf } from './uses.ts'

type IssuedTokenProps = {
  issued: IssuedToken
  /** What the token opens, as far as it is known: the lines that use it name the first. */
  apps: readonly OpenApp[] | undefined
  /** What those lines name where it opens nothing yet. */
  examples?: readonly OpenApp[] | undefined
  onKept: () => void
}

/** Shows a new token, this once: the dialog stays until its reader says that it is kept. */
export const IssuedTokenDialog = ({ issued, apps, examples, onKept }: IssuedTokenProps) => (
  <ShownOnce
    title="Copy the token now"
    text={`“${issued.name}” is shown this once. Keyward keeps only its hash and can’t show it again.`}
    lost="Lost it? Revoke it and make another."
    onDone={onKept}
  >
    <CopyField label={`The token ${issued.name}`} text={issued.token} secret />
    <HowToUse issued={issued} apps={apps} examples={examples} />
  </ShownOnce>
)

function HowToUse({ issued, apps, examples = [] }: Omit<IssuedTokenProps, 'onKept'>) {
  const uses = usesOf(issued.format, location.origin, placesOf([...(apps ?? []), ...examples]))
  const [chosen, setChosen] = useState(uses[0]?.value ?? '')
  const use = uses.find(({ value }) => value === chosen)
  return (
    <>
      <div>
        <p className="label">Use it</p>
        <Segments label="How to use it" value={chosen} options={uses} onChange={setChosen} />
        {use?.client === 'phase' && <AboutPhase />}
      </div>
      {use?.value !== 'shell' && use?.value !== 'curl' && <LoopbackNote what="Keyward" />}
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

const AboutPhase = () => (
  <p className="small dim mt-2">
    <code>phase</code> is Phase’s open-source command line.{' '}
    <a href={PHASE_CLI.docs} target="_blank" rel="noreferrer">
      Install it
    </a>{' '}
    first: <code>{PHASE_CLI.linux}</code> on Linux, <code>{PHASE_CLI.mac}</code> on macOS.
  </p>
)
