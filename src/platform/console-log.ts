import type { Log, LogLevel } from './log.ts'

/** Pino's numbers. */
const SEVERITIES: Readonly<Record<LogLevel, number>> = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
  silent: Number.POSITIVE_INFINITY,
}

/** The same JSON lines as `createLog`, through the console: for runtimes without a standard error. */
export function createConsoleLog(level: LogLevel): Log {
  const writer = (name: 'debug' | 'info' | 'warn' | 'error') => {
    const severity = SEVERITIES[name]
    return (fields: unknown, message?: unknown) => {
      if (severity < SEVERITIES[level]) return
      const said = typeof fields === 'string' ? { msg: fields } : { ...(fields as object), msg: message }
      console[name](JSON.stringify({ level: severity, time: new Date().toISOString(), ...said }))
    }
  }
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') }
}
