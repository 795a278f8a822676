import { describe, expect, test } from 'bun:test'
import { backendConfig, backendFaults, certificate, labelled } from '../support/variables.ts'

describe('the key-value store', () => {
  const redis = (url: string, ca: string | null = null) => ({ kind: 'redis', url, ca })
  test.each(
    labelled<object>([
      [{}, { kind: 'memory' }],
      [{ REDIS_URL: 'redis://cache' }, redis('redis://cache')],
      [{ REDIS_URL: 'rediss://u:p%40@cache:7000/3' }, redis('rediss://u:p%40@cache:7000/3')],
      [
        { REDIS_URL: 'rediss://cache', REDIS_TLS_CA: certificate },
        redis('rediss://cache', certificate.trim()),
      ],
      [{ REDIS_HOST: 'cache' }, redis('redis://cache:6379/0')],
      [{ REDIS_HOST: '::1', REDIS_PORT: '7000', REDIS_DATABASE: '3' }, redis('redis://[::1]:7000/3')],
      [{ REDIS_HOST: 'cache', REDIS_PASSWORD: 'p@s/s:%' }, redis('redis://:p%40s%2Fs%3A%25@cache:6379/0')],
      [
        { REDIS_HOST: 'cache', REDIS_USERNAME: 'a b', REDIS_PASSWORD: 'é' },
        redis('redis://a%20b:%C3%A9@cache:6379/0'),
      ],
      [
        { REDIS_HOST: 'cache', REDIS_TLS: 'yes', REDIS_TLS_CA: certificate },
        redis('rediss://cache:6379/0', certificate.trim()),
      ],
      [
        { UPSTASH_REDIS_REST_URL: 'https://eu1.upstash.io', UPSTASH_REDIS_REST_TOKEN: 't' },
        { kind: 'upstash', url: 'https://eu1.upstash.io', token: 't' },
      ],
      [
        { UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:8079', UPSTASH_REDIS_REST_TOKEN: 't' },
        { kind: 'upstash', url: 'http://127.0.0.1:8079', token: 't' },
      ],
    ]),
  )('is understood from %s', (_, variables, expected) => {
    expect(backendConfig(variables).kv).toEqual(expected as never)
  })

  const upstash = { UPSTASH_REDIS_REST_URL: 'https://eu1.upstash.io', UPSTASH_REDIS_REST_TOKEN: 't' }
  test.each(
    labelled<string>([
      [{ REDIS_URL: 'http://cache' }, 'REDIS_URL must have the form'],
      [{ REDIS_URL: 'redis://' }, 'REDIS_URL must have the form'],
      [{ REDIS_URL: 'redis://cache/zero' }, 'REDIS_URL must have the form'],
      [{ REDIS_URL: 'redis://cache?db=1' }, 'REDIS_URL must have the form'],
      [{ REDIS_URL: 'redis://:p%zz@cache' }, 'REDIS_URL must have the form'],
      [{ REDIS_URL: 'redis://a', REDIS_PORT: '1' }, 'REDIS_URL and REDIS_PORT are both set'],
      [{ REDIS_URL: 'redis://a', REDIS_TLS_CA: certificate }, 'REDIS_TLS_CA needs Redis over TLS'],
      [{ REDIS_HOST: 'a', REDIS_TLS: 'no', REDIS_TLS_CA: certificate }, 'REDIS_TLS_CA needs Redis over TLS'],
      [{ REDIS_TLS_CA: certificate }, 'REDIS_TLS_CA needs Redis over TLS'],
      [{ REDIS_PASSWORD: 'p' }, 'REDIS_PASSWORD needs REDIS_HOST.'],
      [{ REDIS_HOST: 'a', REDIS_USERNAME: 'u' }, 'REDIS_USERNAME needs REDIS_PASSWORD.'],
      [{ REDIS_HOST: 'redis://a' }, 'REDIS_HOST is "redis://a"; it must be a host name'],
      [{ REDIS_HOST: '/run/redis.sock' }, 'REDIS_HOST is "/run/redis.sock"; it must be a host name'],
      [{ REDIS_HOST: 'a', REDIS_PORT: 'x' }, 'REDIS_PORT is "x"; it must be'],
      [{ REDIS_HOST: 'a', REDIS_DATABASE: '-1' }, 'REDIS_DATABASE is "-1"; it must be'],
      [{ REDIS_HOST: 'a', REDIS_TLS: 'tls' }, 'REDIS_TLS is "tls"; it must be true or false.'],
      [{ ...upstash, UPSTASH_REDIS_REST_TOKEN: '' }, 'belong together'],
      [{ ...upstash, UPSTASH_REDIS_REST_URL: '' }, 'belong together'],
      [
        { ...upstash, UPSTASH_REDIS_REST_URL: 'http://eu1.upstash.io' },
        'UPSTASH_REDIS_REST_URL must be an https://',
      ],
      [
        { ...upstash, UPSTASH_REDIS_REST_URL: 'eu1.upstash.io' },
        'UPSTASH_REDIS_REST_URL must be an https://',
      ],
      [
        { ...upstash, UPSTASH_REDIS_REST_URL: 'https://h?_token=x' },
        'UPSTASH_REDIS_REST_URL must be an https://',
      ],
      [{ ...upstash, REDIS_URL: 'redis://a' }, 'UPSTASH_REDIS_REST_URL and REDIS_URL are both set'],
      [{ ...upstash, REDIS_HOST: 'a' }, 'UPSTASH_REDIS_REST_URL and REDIS_HOST are both set'],
    ]),
  )('can not be %s', (_, variables, fault) => {
    expect(backendFaults(variables)).toEqual([expect.stringContaining(fault)])
  })
})
