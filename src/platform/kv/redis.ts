import type { OpenRedis } from '../runtime.ts'
import { traceCall } from '../tracing.ts'
import type { RedisAddress as Address, Kv } from './kv.ts'
import { keepConnected, type RedisConnection } from './redis-connection.ts'
import {
  INCREMENT_SCRIPT,
  KEY_PREFIX,
  outageLog,
  type RedisOperation,
  readCount,
  redisAttributes,
  TimeoutError,
  withTimeout,
} from './remote.ts'

/** A Redis over Bun's client. Opens a second connection on the first subscription. */
export const openRedisKv: OpenRedis = (address, clock, log, timeoutMs): Kv => {
  const outage = outageLog('Redis', clock, log)
  const connection = keepConnected(address, { connected: outage.succeeded, failed: outage.failed })
  const subscriptions = openSubscriptions(address, outage.failed, timeoutMs)

  async function ask<T>(
    operation: RedisOperation,
    command: (client: Bun.RedisClient) => Promise<T>,
  ): Promise<T | null> {
    const client = await withTimeout(timeoutMs, connection.client()).catch(() => null)
    if (client === null) return null
    try {
      const answer = await traceCall(operation, redisAttributes(operation), () =>
        withTimeout(timeoutMs, command(client)),
      )
      outage.succeeded()
      return answer
    } catch (error) {
      outage.failed(error)
      if (isStale(error)) client.close()
      return null
    }
  }

  return {
    increment: (key, windowSeconds) =>
      ask('EVAL', async (client) =>
        readCount(await client.send('EVAL', [INCREMENT_SCRIPT, '1', KEY_PREFIX + key, `${windowSeconds}`])),
      ),
    publish: async (channel) => {
      await ask('PUBLISH', (client) => client.publish(KEY_PREFIX + channel, ''))
    },
    subscribe: subscriptions.subscribe,
    ping: async () => (await ask('PING', (client) => client.ping())) !== null,
    close: async () => {
      connection.close()
      subscriptions.close()
    },
  }
}

/** Whether only a new connection can help: the peer is silent, or it was demoted to a replica. */
function isStale(error: unknown): boolean {
  return error instanceof TimeoutError || (error instanceof Error && error.message.startsWith('READONLY'))
}

function openSubscriptions(address: Address, failed: (error: unknown) => void, timeoutMs: number) {
  const channels = new Map<string, Set<() => void>>()
  let connection: RedisConnection | null = null
  // What the present connection has asked for, one request per channel.
  let requests = new Map<string, Promise<unknown>>()
  let hasBeenConnected = false

  const wake = (channel: string) => {
    for (const listener of channels.get(channel) ?? []) listener()
  }
  function listen(client: Bun.RedisClient, channel: string) {
    const request = requests.get(channel) ?? client.subscribe(KEY_PREFIX + channel, () => wake(channel))
    requests.set(channel, request)
    return request
  }
  async function connected(client: Bun.RedisClient) {
    const isReturn = hasBeenConnected
    hasBeenConnected = true
    requests = new Map()
    for (const channel of channels.keys()) {
      await listen(client, channel).catch(failed)
      if (isReturn) wake(channel)
    }
  }

  async function subscribe(channel: string, onMessage: () => void) {
    const listener = () => onMessage()
    channels.set(channel, (channels.get(channel) ?? new Set()).add(listener))
    connection ??= keepConnected(address, { connected, failed })
    const client = await withTimeout(timeoutMs, connection.client()).catch(() => null)
    if (client !== null) await withTimeout(timeoutMs, listen(client, channel)).catch(failed)
    return async () => {
      channels.get(channel)?.delete(listener)
    }
  }

  return { subscribe, close: () => connection?.close() }
}
