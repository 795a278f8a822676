import { Popover } from '@base-ui/react/popover'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Field, Input } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { dayOf, startOf } from './search.ts'

type DateFilterProps = {
  from: string | undefined
  to: string | undefined
  onChange: (range: { from?: string | undefined; to?: string | undefined }) => void
}

const words = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })
const shown = (day: string): string => words.format(startOf(day) ?? new Date(day))

const PRESETS = [
  { label: 'Today', days: 0 },
  { label: 'Last 7 days', days: 6 },
  { label: 'Last 30 days', days: 29 },
] as const

/** Filters by days, where the reader is: since one, until one, or both. */
export function DateFilter({ from, to, onChange }: DateFilterProps) {
  const [isOpen, setOpen] = useState(false)
  if (from !== undefined || to !== undefined) {
    const chosen = describeRange(from, to)
    return (
      <span className="chip on">
        {chosen}
        <button type="button" aria-label={`Remove the filter ${chosen}`} onClick={() => onChange({})}>
          <Icon name="x" small />
        </button>
      </span>
    )
  }
  const choose = (range: { from?: string | undefined; to?: string | undefined }) => {
    setOpen(false)
    onChange(range)
  }
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger className="chip">
        <Icon name="plus" small />
        When
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="floating" sideOffset={4} align="start">
          <Popover.Popup className="menu" aria-label="When">
            <DateChoice onChoose={choose} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

function DateChoice({
  onChoose,
}: {
  onChoose: (range: { from?: string | undefined; to?: string | undefined }) => void
}) {
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const isReversed = from !== '' && to !== '' && to < from
  const apply = (event: FormEvent) => {
    event.preventDefault()
    if (isReversed || (from === '' && to === '')) return
    onChoose({ from: from === '' ? undefined : from, to: to === '' ? undefined : to })
  }
  return (
    <form className="grid gap-3 p-2" onSubmit={apply}>
      <div className="row">
        {PRESETS.map(({ label, days }) => (
          <Button key={label} size="sm" onClick={() => onChoose({ from: daysAgo(days) })}>
            {label}
          </Button>
        ))}
      </div>
      <Field label="From the day">
        <Input
          type="date"
          value={from}
          max={dayOf(new Date())}
          onChange={(event) => setFrom(event.target.value)}
        />
      </Field>
      <Field label="To the day, included" error={isReversed ? 'This day is before the first one.' : null}>
        <Input type="date" value={to} onChange={(event) => setTo(event.target.value)} />
      </Field>
      <div>
        <Button type="submit" disabledBecause={from === '' && to === '' ? 'Choose a day first.' : null}>
          Show these days
        </Button>
      </div>
    </form>
  )
}

function describeRange(from: string | undefined, to: string | undefined): string {
  if (from === undefined) return `Until ${shown(to ?? '')}`
  if (to === undefined) return from === dayOf(new Date()) ? 'Today' : `Since ${shown(from)}`
  return from === to ? shown(from) : `${shown(from)} to ${shown(to)}`
}

const daysAgo = (days: number): string => {
  const now = new Date()
  return dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - days))
}
