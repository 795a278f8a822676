/** Whether a statement only reads, so that it has changed nothing for sure; when in doubt, it does not. */
export function isRead(sql: string): boolean {
  const words = sql.replace(QUOTED_OR_COMMENT, ' ')
  if (/^[\s(]*(select|show|values|table)\b/i.test(words)) return true
  return /^[\s(]*with\b/i.test(words) && !CHANGE.test(words)
}

const QUOTED_OR_COMMENT = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g

// `for update` and `for no key update` only lock.
const CHANGE = /\b(insert|delete|merge|(?<!\bfor\s+(?:no\s+key\s+)?)update)\b/i
