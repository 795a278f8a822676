import type { Metrics, Remembered } from './metrics.ts'
import type { StateVersions } from './postgres/state-version.ts'

/** Something to remember, and about how many bytes it takes. */
export type Item<T> = Readonly<{ value: T; bytes: number }>

/** What reads have loaded, for as long as the database confirms that its state has not changed. */
export type ReadMemory = Readonly<{
  /** Rejects as `StateVersions.confirm` does; nothing is remembered then. */
  confirm(): Promise<string>
  /** What was loaded at this version, undefined if nothing was. The version must have been confirmed for this request. */
  recall<T>(what: Remembered, version: string, key: string): T | undefined
  /**
   * Loads something for everybody who asks for it at this version meanwhile, and remembers it; `null` is not remembered.
   * The version must have been confirmed before the call: a change during the load shows in the next version, under
   * which this one's items are not found.
   */
  load<T>(
    what: Remembered,
    version: string,
    key: string,
    load: () => Promise<Item<T> | null>,
  ): Promise<T | null>
  /** How many bytes are taken. */
  bytesInUse(): number
  end(): Promise<void>
}>

/** What an entry takes beside its value: its key, twice, and the map's own. */
const ENTRY_BYTES = 200

/**
 * A memory of at most `maxBytes`, in which the least recently used is forgotten first. It holds one version at a time:
 * a new one means that everything is forgotten.
 */
export function createReadMemory(
  versions: StateVersions,
  { maxBytes, metrics }: { maxBytes: number; metrics: Pick<Metrics, 'countRecall'> },
): ReadMemory {
  let current: string | null = null
  let items = new Map<string, Item<unknown>>()
  let loads = new Map<string, Promise<unknown>>()
  let bytes = 0
  let asked: Promise<string> | null = null
  let confirmed = Promise.resolve('')

  const begin = (version: string | null) => {
    current = version
    items = new Map()
    loads = new Map()
    bytes = 0
  }
  const enter = (version: string): string => {
    if (version !== current) begin(version)
    return version
  }
  const leave = (error: unknown): never => {
    begin(null)
    throw error
  }
  const remove = (key: string) => {
    bytes -= items.get(key)?.bytes ?? 0
    items.delete(key)
  }
  const keep = (key: string, item: Item<unknown>) => {
    const size = item.bytes + 2 * key.length + ENTRY_BYTES
    // One that takes much of the memory would have everything else forgotten.
    if (size > maxBytes / 4) return
    remove(key)
    items.set(key, { value: item.value, bytes: size })
    bytes += size
    for (const oldest of items.keys()) {
      if (bytes <= maxBytes) return
      remove(oldest)
    }
  }
  const loadOnce = async <T>(version: string, key: string, load: () => Promise<Item<T> | null>) => {
    const item = await load()
    if (item !== null && version === current) keep(key, item)
    return item === null ? null : item.value
  }

  return {
    confirm: () => {
      const answer = versions.confirm()
      // Those who wait for the same answer share what follows from it.
      if (answer !== asked) {
        asked = answer
        confirmed = answer.then(enter, leave)
      }
      return confirmed
    },
    recall: <T>(what: Remembered, version: string, key: string) => {
      const name = `${what} ${key}`
      const item = version === current ? items.get(name) : undefined
      metrics.countRecall(what, item !== undefined)
      if (item === undefined) return undefined
      // Order matters only where something may soon be forgotten.
      if (bytes > maxBytes / 2) {
        items.delete(name)
        items.set(name, item)
      }
      return item.value as T
    },
    load: <T>(what: Remembered, version: string, key: string, load: () => Promise<Item<T> | null>) => {
      const name = `${what} ${key}`
      if (version !== current) return loadOnce(version, name, load)
      const known = loads.get(name) as Promise<T | null> | undefined
      if (known !== undefined) return known
      const all = loads
      const loading = loadOnce(version, name, load).finally(() => all.delete(name))
      all.set(name, loading)
      return loading
    },
    bytesInUse: () => bytes,
    end: () => versions.end(),
  }
}
