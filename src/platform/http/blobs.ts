const PIECE_BYTES = 64 * 1024

/**
 * A blob for answers that anyone may ask for: it is neither encoded nor copied for each. It has many parts, because Deno keeps
 * the part that it sends for each connection that does not read.
 */
export function blobOf(content: Uint8Array<ArrayBuffer>): Blob {
  const pieces = []
  for (let at = 0; at < content.length; at += PIECE_BYTES) pieces.push(content.subarray(at, at + PIECE_BYTES))
  return new Blob(pieces)
}
