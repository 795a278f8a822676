import { contentType, type FindFile } from '../frontend/files.ts'

/** Static assets of a Worker, or anything else that answers requests for files. */
export type Assets = { fetch(url: string): Promise<Response> }

/** The built console among the Worker's assets. The platform compresses what it sends by itself. */
export const filesOf =
  (assets: Assets): FindFile =>
  async (path) => {
    const type = contentType(path)
    if (type === null) return null
    const response = await assets.fetch(`https://assets${path}`)
    if (response.status === 200 && response.body !== null)
      return { type, content: response.body, brotli: null }
    await response.body?.cancel()
    if (response.status === 404) return null
    throw new Error(`The assets answered ${response.status}.`)
  }
