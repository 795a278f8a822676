declare module 'swagger-ui-dist/*' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an import of a text has one
  export default text
}
