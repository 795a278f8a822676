import { plugin } from 'bun'

// Preloaded into a process: it prints each file of OpenTelemetry that is loaded.
plugin({
  name: 'loaded telemetry',
  setup: (build) => {
    build.onLoad({ filter: /@opentelemetry/ }, async ({ path }) => {
      process.stderr.write(`loaded ${path}\n`)
      return { contents: await Bun.file(path).text(), loader: 'js' }
    })
  },
})
