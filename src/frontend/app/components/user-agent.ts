/** In this order: every browser names others, too. */
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\//, 'Headless Chrome'],
  [/\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

const LONGEST = 60

/** The browser and system that a user agent names: "Firefox on Linux"; another program as it names itself. */
export function browserOf(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'An unknown program'
  const named = (list: readonly [RegExp, string][]) => list.find(([form]) => form.test(userAgent))?.[1]
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)]
  if (browser === undefined) return userAgent.slice(0, LONGEST)
  return system === undefined ? browser : `${browser} on ${system}`
}
