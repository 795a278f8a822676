import { badRequest } from '../../core/errors.ts'

/** The text of a header, whose bytes are UTF-8; null where it is absent or empty. 400 for what is no text. */
export function headerText(request: Request, name: string): string | null {
  const header = request.headers.get(name)
  if (header === null || header.trim() === '') return null
  // A header holds bytes, each as one character.
  const bytes = Buffer.from(header.trim(), 'latin1')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw badRequest(`The header ${name} must be UTF-8.`)
  }
}
