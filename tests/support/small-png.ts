import { deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = 8

/**
 * The same picture in fewer bytes: a browser filters each row for photographs, while pictures of pages are smaller
 * without. It takes what Chromium makes: 8 bits of red, green and blue, not interlaced.
 */
export function smallPng(png: Buffer): Buffer {
  const chunks = chunksOf(png)
  const head = chunks.find(({ type }) => type === 'IHDR')?.data
  if (head?.[8] !== 8 || head[9] !== 2 || head[12] !== 0) return png
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data))
  const rows = unfiltered(inflateSync(packed), head.readUInt32BE(0) * 3)
  const small = Buffer.concat([
    png.subarray(0, SIGNATURE),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
  return small.length < png.length ? small : png
}

function chunksOf(png: Buffer): { type: string; data: Buffer }[] {
  const chunks: { type: string; data: Buffer }[] = []
  for (let at = SIGNATURE; at < png.length; ) {
    const length = png.readUInt32BE(at)
    chunks.push({
      type: png.toString('latin1', at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + length),
    })
    at += 12 + length
  }
  return chunks
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const bytes = Buffer.alloc(named.length + 8)
  bytes.writeUInt32BE(data.length, 0)
  named.copy(bytes, 4)
  bytes.writeUInt32BE(Bun.hash.crc32(named), named.length + 4)
  return bytes
}

/** The rows as they were before each was filtered, each behind a zero: "not filtered". */
function unfiltered(filtered: Buffer, width: number): Buffer {
  const rows = Buffer.alloc(filtered.length)
  for (let start = 0; start < filtered.length; start += width + 1) {
    const filter = filtered[start] ?? 0
    for (let place = 1; place <= width; place++) {
      const at = start + place
      const left = place > 3 ? (rows[at - 3] ?? 0) : 0
      const up = start > 0 ? (rows[at - width - 1] ?? 0) : 0
      const corner = place > 3 && start > 0 ? (rows[at - width - 4] ?? 0) : 0
      rows[at] = (filtered[at] ?? 0) + predicted(filter, left, up, corner)
    }
  }
  return rows
}

/** What a filter of PNG subtracted from a byte: nothing, its neighbour, the mean, or the nearest of three (Paeth). */
function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  const guess = left + up - corner
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}
