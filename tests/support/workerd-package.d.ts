declare module 'workerd' {
  /** The path of the program for this machine. */
  const program: string
  // biome-ignore lint/style/noDefaultExport: what the package exports
  export default program
}
