import { useState } from 'react'
import { CopyField } from '../components/copy-field.tsx'
import { exactTime } from '../components/date-time.tsx'
import { Segments } from '../components/page-head.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { FORMATS, type TokenFormat } from './token-form.tsx'

type Issued = { name: string; format: TokenFormat; token: string; expiresAt: string | null }

const USES = {
  phase: {
    Shell: () => `export PHASE_HOST=${location.origin}\nexport PHASE_SERVICE_TOKEN=…`,
    'GitHub Actions': () =>
      `env:\n  PHASE_HOST: ${location.origin}\n  PHASE_SERVICE_TOKEN: \${{ secrets.KEYWARD_TOKEN }}`,
  },
  keyward: {
    curl: () => `curl ${location.origin}/v1/me/ \\\n  -H "Authorization: Bearer $KEYWARD_TOKEN"`,
  },
} as const

/** Shows the text of a new token, this once. */
export function IssuedToken({ issued, onDone }: { issued: Issued; onDone: () => void }) {
  const uses: Record<string, () => string> = USES[issued.format]
  const [use, setUse] = useState(Object.keys(uses)[0] ?? '')
  return (
    <ShownOnce
      title="Copy the token now"
      text={`“${issued.name}” is shown this once. Keyward keeps only its hash and can’t show it again.`}
      lost="Lost it? Revoke it and make another."
      onDone={onDone}
    >
      <CopyField label={`The token ${issued.name}`} text={issued.token} secret />
      {Object.keys(uses).length > 1 && (
        <Segments
          label="How to use it"
          value={use}
          options={Object.keys(uses).map((value) => ({ value, label: value }))}
          onChange={setUse}
        />
      )}
      <CopyField label={`The lines for ${use}`} text={uses[use]?.() ?? ''} />
      <dl className="pair">
        <dt>Format</dt>
        <dd>{FORMATS[issued.format].label}</dd>
        <dt>Ends</dt>
        <dd>{issued.expiresAt === null ? 'Never, until it is revoked' : exactTime(issued.expiresAt)}</dd>
      </dl>
    </ShownOnce>
  )
}
