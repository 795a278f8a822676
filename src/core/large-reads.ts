/** Work with more bytes takes so much memory, and keeps the process from others so long, that callers take turns. */
export const LARGE_READ_BYTES = 1024 * 1024

/**
 * Who has its turn among the large reads reads in another share than its own, of this name: nobody may wait for other reads of
 * its own while it keeps others from theirs.
 */
export const LARGE_READS_OF = 'large reads of'

/** The memory that one answer may take. */
export type Room = Readonly<{
  /**
   * Gives what is read for the answer, once there is memory for so many bytes of it. Nothing is kept while others are waited
   * for: `measure` tells beforehand how many bytes there are, and where it is null, or others came first, it is read again.
   */
  read<T>(
    read: () => Promise<T>,
    bytesOf: (found: T) => number,
    measure: (() => Promise<number>) | null,
  ): Promise<T>
  /** Throws where nobody waits for the answer any more: work for it that takes long asks now and then. */
  requireWaiting(): void
}>
