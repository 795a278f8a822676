import { MAX_BYTES } from '../secrets/sealed.ts'
import { byteLength } from '../text.ts'
import { type KeyValue, requireFaultless } from './key-values.ts'
import { keyFault } from './plain-secret.ts'

/** 400 for keys and values that no secret can have, and for a key that appears twice. */
export function requireUsable(entries: readonly KeyValue[]): void {
  const places = new Map<string, string>()
  const faults: string[] = []
  for (const [index, { key, value, line }] of entries.entries()) {
    const place = line === undefined ? `entry ${index + 1}` : `line ${line}`
    const fault = keyFault(key, `The key in ${place}`)
    if (fault !== null) faults.push(fault)
    if (byteLength(value) > MAX_BYTES.value) {
      faults.push(`The value in ${place} must have at most ${MAX_BYTES.value} bytes.`)
    }
    if (value.includes('\0')) faults.push(`The value in ${place} must not contain NUL characters.`)
    if (!value.isWellFormed()) faults.push(`The value in ${place} must be well-formed Unicode.`)
    const earlier = places.get(key)
    if (earlier !== undefined) faults.push(`The key in ${place} is that of ${earlier}.`)
    else places.set(key, place)
  }
  requireFaultless(faults)
}
