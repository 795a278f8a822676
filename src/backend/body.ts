/** A body that can't be used, kept as a value: who calls, and whether they may, is answered before it. */
export class BadBody {
  constructor(
    readonly status: 400 | 413 | 415,
    readonly message: string,
  ) {}
}

const MAX_BYTES = 1024 * 1024

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

async function readBytes(request: Request): Promise<Uint8Array | null> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BYTES) return null
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body) {
    length += chunk.byteLength
    if (length > MAX_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parse(text: string): unknown {
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
