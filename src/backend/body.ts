/** A body that can't be used, kept as a value: who calls, and whether they may, is answered before it. */
export class BadBody {
  constructor(
    readonly status: 400 | 413 | 415,
    readonly message: string,
  ) {}
}

const MAX_BYTES = 1024 * 1024
const MAX_DEPTH = 32
const DEADLINE_SECONDS = 15

/** Reads a JSON body, null when there is none, or says what is wrong with it. Never throws. */
export async function readBody(request: Request): Promise<unknown> {
  if (request.method === 'DELETE') return null
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(;\s*charset=utf-8\s*)?$/i.test(type)) {
    return new BadBody(415, 'The body must be sent as application/json.')
  }
  const bytes = await readBytes(request).catch(() => undefined)
  if (bytes === undefined) return new BadBody(400, 'The body did not arrive whole.')
  if (bytes === null) return new BadBody(413, 'The body must not be larger than 1 MiB.')
  if (bytes.length === 0) return null
  try {
    return parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return new BadBody(400, 'The body is not valid JSON.')
  }
}

/** The whole body; null when it is too large. Rejects when it does not arrive whole, or not in time. */
async function readBytes(request: Request): Promise<Uint8Array | null> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BYTES) return null
  if (request.body === null) return new Uint8Array()
  const reader = request.body.getReader()
  let late = false
  const timer = setTimeout(() => {
    late = true
    reader.cancel().catch(() => {})
  }, DEADLINE_SECONDS * 1000)
  try {
    const chunks: Uint8Array[] = []
    for (let length = 0; ; ) {
      const { done, value } = await reader.read()
      if (late) throw new Error('the body took too long')
      if (done) return Buffer.concat(chunks)
      length += value.byteLength
      if (length > MAX_BYTES) return null
      chunks.push(value)
    }
  } finally {
    clearTimeout(timer)
  }
}

function parse(text: string): unknown {
  if (depthOf(text) > MAX_DEPTH)
    return new BadBody(400, `The body must not be nested deeper than ${MAX_DEPTH} levels.`)
  // Only an escape can bring a NUL or half a surrogate pair into text that is valid UTF-8 and valid JSON.
  if (!/\\u|__proto__/i.test(text)) return JSON.parse(text)
  let fault: BadBody | null = null
  const value = JSON.parse(text, (key, item: unknown) => {
    if (key === '__proto__') fault = new BadBody(400, 'A field must not be named __proto__.')
    fault = wrongText(key) ?? (typeof item === 'string' ? wrongText(item) : null) ?? fault
    return item
  })
  return fault ?? value
}

function wrongText(text: string): BadBody | null {
  if (text.includes('\0')) return new BadBody(400, 'Text must not contain NUL characters.')
  return text.isWellFormed() ? null : new BadBody(400, 'Text must be well-formed Unicode.')
}

/** How deep arrays and objects are nested, found in one pass before anything walks them by recursion. */
function depthOf(text: string): number {
  let [depth, deepest, inString] = [0, 0, false]
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (inString) {
      if (character === '\\') at++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth)
    else if (character === ']' || character === '}') depth--
  }
  return deepest
}
