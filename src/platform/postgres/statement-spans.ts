import { errorKind, tracing } from '../tracing.ts'

/** A query of the driver; it has its whole SQL once it was sent. */
export type TracedStatement = {
  string?: string
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** Gives a statement a span of its own while tracing is on, from now until its answer: with its text, never its values. */
export function traceStatement(statement: TracedStatement): void {
  const span = tracing()?.begin('statement', { 'db.system.name': 'postgresql' }) ?? null
  if (span === null) return
  const { resolve, reject } = statement
  const end = () => {
    if (statement.string !== undefined) {
      const { summary, text } = describeStatement(statement.string)
      span.describe(summary, { 'db.query.summary': summary, 'db.query.text': text })
    }
    span.end()
  }
  statement.resolve = (value) => {
    end()
    resolve(value)
  }
  statement.reject = (error) => {
    span.fail(errorKind(error))
    end()
    reject(error)
  }
}

type Description = Readonly<{ summary: string; text: string }>

/**
 * A statement's text as it may be shown: on one line, without comments, and with `?` for every literal. The summary is what
 * it does and the first table that it names.
 */
export function describeStatement(sql: string): Description {
  const known = descriptions.get(sql)
  if (known !== undefined) return known
  const text = withoutLiterals(sql.slice(0, MAX_LENGTH)).slice(0, MAX_SHOWN)
  const [, operation = 'statement'] =
    /^with\b.*?\b(select|insert|update|delete)\b/i.exec(text) ?? /^\W*(\w+)/.exec(text) ?? []
  const table = /\b(?:from|into|update|table)\s+(?:only\s+)?"?([a-z_][\w.]*)/i.exec(text)?.[1]
  const description = { summary: [operation.toUpperCase(), table].filter(Boolean).join(' '), text }
  // Most statements come again and again; some are composed, and may be long.
  if (sql.length > MAX_KNOWN_LENGTH) return description
  if (descriptions.size >= MAX_KNOWN) descriptions.clear()
  descriptions.set(sql, description)
  return description
}

const descriptions = new Map<string, Description>()
const MAX_KNOWN = 1000
const MAX_KNOWN_LENGTH = 5000
const MAX_LENGTH = 20_000
const MAX_SHOWN = 1000

/** In the order of precedence: what begins first hides what is within it. One that has no end reaches to the end. */
const LITERALS =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"[^"]*(?:"|$)|\bE'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|\$([a-z_]\w*)?\$[\s\S]*?(?:\$\1\$|$)|(?<![\w$.])\d[\w.]*/gi

function withoutLiterals(sql: string): string {
  return sql
    .replace(LITERALS, (found) => {
      if (found.startsWith('--') || found.startsWith('/*')) return ' '
      return found.startsWith('"') ? found : '?'
    })
    .replace(/\s+/g, ' ')
    .trim()
}
