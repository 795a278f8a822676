import pino from 'pino'

/** Structured log lines. Never pass it a secret, a token, a body or an e-mail address. */
export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'>

/** JSON lines on standard error, so that standard output stays free for what a person asked for. */
export function createLog(level: pino.LevelWithSilent = 'info'): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: true }),
  )
}
