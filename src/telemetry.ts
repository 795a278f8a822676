import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { MEASURED_JOBS } from './core/jobs.ts'
import { metricsPage } from './platform/http/metrics-page.ts'
import { listen } from './platform/http/server.ts'
import { onStop } from './platform/process.ts'
import { queueDepth } from './platform/queue/depth.ts'
import type { Runtime } from './platform/runtime.ts'

/** Turns tracing on where the environment names a collector. Before anything whose work is traced is started. */
export async function startTelemetry(config: Config, service: string, runtime: Runtime): Promise<void> {
  if (config.tracing === null) return
  const { startTracing } = await import('./platform/telemetry/open-telemetry.ts')
  const log = runtime.createLog(config.logLevel)
  onStop(
    startTracing(config.tracing, {
      service: config.tracing.serviceName ?? service,
      version: config.version,
      log,
    }),
  )
}

/** Serves the metrics on the port that the configuration names, if any. */
export function listenForMetrics(config: Config, runtime: Runtime, text: () => Promise<string>): void {
  if (config.metricsPort === null) return
  const options = { port: config.metricsPort, address: config.bindAddress, portName: 'METRICS_PORT' }
  const server = listen(runtime.serve, options, () => ({ fetch: metricsPage(text) }))
  onStop(() => server.stop(0))
}

/** What a process with a database has to tell Prometheus. */
export function metricsText({ db, metrics }: Context): () => Promise<string> {
  const depth = queueDepth(db, MEASURED_JOBS)
  return async () => metrics.text() + (await depth())
}
