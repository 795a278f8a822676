import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { ConfirmDialog } from '../components/dialog.tsx'
import { Badge } from '../components/pieces.tsx'
import { counted } from '../components/words.ts'
import type { FactorPart } from './factor-part.ts'
import { Section } from './section.tsx'

const FEW = 3

/** How many recovery codes are left, and new ones. */
export function RecoveryCodes({ recently, onChanged, left }: FactorPart & { left: number }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <Section
      title="Recovery codes"
      text="Each works once instead of another factor, for the day on which you have lost them all."
      act={<Button onClick={() => setAsking(true)}>Get new codes</Button>}
    >
      <p>
        <Badge {...(left <= FEW ? { tone: 'warn' as const } : {})}>
          {counted(left, 'code is', 'codes are')} left
        </Badge>
      </p>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title="Get new recovery codes?"
        text="You get ten new ones. The old ones, also where you have printed them, are void at once."
        act="Get new codes"
        danger={false}
        onConfirm={async () => {
          const made = await recently(() => answer(api.service.auth['recovery-codes'].post({})))
          onChanged(made.recoveryCodes)
        }}
      />
    </Section>
  )
}
