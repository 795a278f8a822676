import { EVENTS } from '../../../core/audit/events.ts'
import { REFUSALS } from '../../../core/audit/refusals.ts'
import type { SearchOption } from '../components/search-filter.tsx'
import { eventLabel } from './sentences.ts'

/** Every event of the audit log, to filter by. */
export const EVENT_OPTIONS: readonly SearchOption[] = [...Object.keys(EVENTS), ...REFUSALS]
  .map((value) => ({ value, label: eventLabel(value) }))
  .sort((a, b) => a.label.localeCompare(b.label))
