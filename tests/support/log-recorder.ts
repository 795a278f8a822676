import pino from 'pino'
import type { Log } from '../../src/platform/log.ts'

/** A log that keeps its lines, as the JSON text that would be written. */
export function recordedLog(): { log: Log; lines: string[]; warnings(): string[] } {
  const lines: string[] = []
  const log = pino({ level: 'debug', base: null }, { write: (line: string) => void lines.push(line) })
  return { log, lines, warnings: () => lines.filter((line) => line.includes('"level":40')) }
}
