// A process whose runtime compiles no WebAssembly: prints whether texts are encrypted in JavaScript, before and after.
import { fastestAead, inJavaScript, loadFastestAead } from '../../../src/core/keys/xchacha20poly1305.ts'

const refuse = () => Promise.reject(new WebAssembly.CompileError('Not allowed here.'))
WebAssembly.instantiate = refuse as unknown as typeof WebAssembly.instantiate
const before = fastestAead() === inJavaScript
await loadFastestAead()
process.stdout.write(JSON.stringify({ before, without: fastestAead() === inJavaScript }))
