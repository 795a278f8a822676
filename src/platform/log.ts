import pino from 'pino'
import { tracing } from './tracing.ts'

/** Structured log lines. Never pass it a secret, a token, a body or an e-mail address. */
export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'>

/** From which severity on lines are written. */
export type LogLevel = pino.LevelWithSilent

/** The trace that a line belongs to, while tracing is on. */
export function traceOfLine(): { traceId?: string } {
  const traceId = tracing()?.traceId() ?? null
  return traceId === null ? {} : { traceId }
}

/** So much waits while standard error can't be written, such as to a file on a full disk; later lines are lost. */
const MAX_WAITING_CHARACTERS = 64 * 1024

/**
 * JSON lines on standard error, so that standard output stays free for what a person asked for. A line that can't be written
 * stops nothing.
 */
export function createLog(level: LogLevel = 'info'): Log {
  const destination = pino.destination({ fd: 2, sync: true, maxLength: MAX_WAITING_CHARACTERS })
  destination.on('error', () => {})
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, mixin: traceOfLine },
    destination,
  )
}
