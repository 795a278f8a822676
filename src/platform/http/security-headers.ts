/** Headers that keep browsers from doing anything with an answer other than a page. */
export const API_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Keeps browsers on https for a year; nothing where the public origin is http. */
export const transportSecurity = (origin: string): Readonly<Record<string, string>> =>
  origin.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}

/** Adds headers; one that an answer brings itself stays as it is. */
export function addHeaders(headers: Headers, more: Readonly<Record<string, string>>): void {
  for (const name in more) if (!headers.has(name)) headers.set(name, more[name] ?? '')
}
