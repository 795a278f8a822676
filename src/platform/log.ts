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

/** JSON lines on standard error, so that standard output stays free for what a person asked for. */
export function createLog(level: LogLevel = 'info'): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, mixin: traceOfLine },
    pino.destination({ fd: 2, sync: true }),
  )
}
