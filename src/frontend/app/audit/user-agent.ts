const PROGRAMS: readonly [RegExp, string][] = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*Safari\//, 'Safari'],
]

const SYSTEMS: readonly [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** What a browser says of itself, in short: "Firefox on Linux". Other programs as they name themselves. */
export function describeUserAgent(text: string): string {
  const find = (known: readonly [RegExp, string][]) => known.find(([form]) => form.test(text))?.[1]
  const program = find(PROGRAMS)
  if (program === undefined) return text
  const system = find(SYSTEMS)
  return system === undefined ? program : `${program} on ${system}`
}
