// One process of load: `bun load.ts <port> <connections> <seconds>`, the request on standard input. Prints answers a second.
const [port = 0, connections = 1, seconds = 1] = process.argv.slice(2).map(Number)
const request = new Uint8Array(await Bun.stdin.arrayBuffer())
let answers = 0

type Connection = { buffer: string; missing: number }

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
  if (!data.buffer.startsWith('HTTP/1.1 200')) throw new Error(`not a 200: ${data.buffer.slice(0, 300)}`)
  const length = Number(/content-length: (\d+)/i.exec(data.buffer.slice(0, end))?.[1])
  const arrived = data.buffer.length - end - 4
  data.buffer = ''
  if (arrived < length) data.missing = length - arrived
  else answered(socket)
}

function answered(socket: Bun.Socket<Connection>): void {
  answers++
  socket.write(request)
}

for (let i = 0; i < connections; i++) {
  await Bun.connect<Connection>({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: (socket) => {
        socket.data = { buffer: '', missing: 0 }
        socket.write(request)
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
