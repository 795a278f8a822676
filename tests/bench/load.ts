/*
 * One process of load: `bun load.ts <port> <connections> <seconds> [<status>]`. Standard input has, as JSON, for each
 * connection the requests that it sends in turn. Prints answers with 200 a second; answers with the other status are
 * passed over.
 */
const [port = 0, connections = 1, seconds = 1, otherStatus = 200] = process.argv.slice(2).map(Number)
const scripts = (JSON.parse(await Bun.stdin.text()) as string[][]).map((script) =>
  script.map((request) => new TextEncoder().encode(request)),
)
let answers = 0

type Connection = {
  script: Uint8Array[]
  sent: number
  buffer: string
  missing: number
  isCounted: boolean
}

/** Counts complete answers in what has arrived, and asks again after each. */
function read(socket: Bun.Socket<Connection>, chunk: Uint8Array): void {
  const { data } = socket
  if (data.missing > chunk.byteLength) {
    data.missing -= chunk.byteLength
    return
  }
  data.buffer += Buffer.from(chunk.subarray(data.missing)).toString('latin1')
  if (data.missing > 0) answered(socket)
  data.missing = 0
  const end = data.buffer.indexOf('\r\n\r\n')
  if (end === -1) return
  const status = Number(data.buffer.slice(9, 12))
  if (status !== 200 && status !== otherStatus) throw new Error(`not a 200: ${data.buffer.slice(0, 600)}`)
  data.isCounted = status === 200
  const length = Number(/content-length: (\d+)/i.exec(data.buffer.slice(0, end))?.[1])
  const arrived = data.buffer.length - end - 4
  data.buffer = ''
  if (arrived < length) data.missing = length - arrived
  else answered(socket)
}

function answered(socket: Bun.Socket<Connection>): void {
  if (socket.data.isCounted) answers++
  ask(socket)
}

function ask(socket: Bun.Socket<Connection>): void {
  const { script } = socket.data
  socket.write(script[socket.data.sent++ % script.length] ?? '')
}

for (let i = 0; i < connections; i++) {
  await Bun.connect<Connection>({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: (socket) => {
        const script = scripts[i % scripts.length] ?? []
        socket.data = { script, sent: 0, buffer: '', missing: 0, isCounted: false }
        ask(socket)
      },
      data: read,
    },
  })
}
await Bun.sleep(seconds * 200)
const start = performance.now()
answers = 0
await Bun.sleep(seconds * 1000)
process.stdout.write(String((answers / (performance.now() - start)) * 1000))
process.exit(0)

export {}
