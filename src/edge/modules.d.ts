declare module '*.wasm' {
  const module: WebAssembly.Module
  // biome-ignore lint/style/noDefaultExport: an import of WebAssembly has one
  export default module
}

declare module 'cloudflare:workers' {
  /** What wrangler.jsonc binds beside variables and secrets. */
  export const env: {
    HYPERDRIVE?: { readonly connectionString: string }
    ASSETS?: { fetch(url: string): Promise<Response> }
  }
}
