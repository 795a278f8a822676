import { Type } from 'typebox'
import type { PlainName, Settings } from './settings.ts'

/** At most `limit` of something within `windowSeconds`. */
export type RateLimit = Readonly<{ limit: number; windowSeconds: number }>

/** A rate such as 120/min; null for off. */
export function readRateLimit(settings: Settings, name: PlainName): RateLimit | null {
  const [limit, window = ''] = settings.form(name, RateLimitForm)?.split('/') ?? []
  const windowSeconds = WINDOW_SECONDS.get(window)
  return windowSeconds === undefined ? null : { limit: Number(limit), windowSeconds }
}

const WINDOW_SECONDS = new Map([
  ['sec', 1],
  ['min', 60],
  ['hour', 3_600],
  ['day', 86_400],
])

const RateLimitForm = {
  ...Type.String({ pattern: '^(off|[1-9][0-9]{0,8}/(sec|min|hour|day))$' }),
  description: 'a number per sec, min, hour or day, such as 120/min, or off',
}
