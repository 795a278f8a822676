import { expect, test } from 'bun:test'
import { createMetrics } from '../../src/platform/metrics.ts'

const samples = (text: string, name: string) => text.split('\n').filter((line) => line.startsWith(name))

const NOTHING_REMEMBERED = [
  'keyward_memory_reads_total{what="caller",result="hit"} 0',
  'keyward_memory_reads_total{what="caller",result="miss"} 0',
  'keyward_memory_reads_total{what="answer",result="hit"} 0',
  'keyward_memory_reads_total{what="answer",result="miss"} 0',
  'keyward_state_confirmations_total 0',
]

test('begins at zero', () => {
  const text = createMetrics().text()
  expect(samples(text, 'keyward_')).toEqual([
    'keyward_unauthenticated_total 0',
    ...['password', 'passkey', 'sso'].flatMap((method) =>
      ['ok', 'failed', 'refused', 'limited', 'error'].map(
        (outcome) => `keyward_sign_ins_total{method="${method}",outcome="${outcome}"} 0`,
      ),
    ),
    ...NOTHING_REMEMBERED,
  ])
})

test('every line is one of the text format, each name announced once, and the last one ends', () => {
  const metrics = createMetrics()
  metrics.observeResponse('GET', '/v1/roles/:id', 200, 0.5)
  const text = metrics.text()
  expect(text.endsWith('\n')).toBe(true)
  const line =
    /^(# (HELP [a-z_]+ .+|TYPE [a-z_]+ (counter|histogram))|[a-z_]+(\{([a-z]+="[^"\\]*",?)+\})? [0-9.e+-]+)$/
  for (const written of text.trimEnd().split('\n')) expect(written).toMatch(line)
  const names = samples(text, '# TYPE').map((type) => type.split(' ')[2])
  expect(new Set(names).size).toBe(names.length)
})

test('a histogram’s buckets add up, the bounds belong to them, and whatever is longer is in the last', () => {
  const metrics = createMetrics()
  for (const seconds of [0.0005, 0.001, 0.002, 0.3, 60]) metrics.observeResponse('GET', '/x', 200, seconds)
  const text = metrics.text()
  const buckets = samples(text, 'keyward_http_request_duration_seconds_bucket').map(
    (line) => /le="(.+)"} (\d+)$/.exec(line)?.slice(1) ?? [],
  )
  expect(buckets).toEqual([
    ['0.001', '2'],
    ['0.0025', '3'],
    ['0.005', '3'],
    ['0.01', '3'],
    ['0.025', '3'],
    ['0.05', '3'],
    ['0.1', '3'],
    ['0.25', '3'],
    ['0.5', '4'],
    ['1', '4'],
    ['2.5', '4'],
    ['5', '4'],
    ['10', '4'],
    ['+Inf', '5'],
  ])
  expect(text).toContain('keyward_http_request_duration_seconds_count{method="GET",route="/x"} 5\n')
  expect(Number(samples(text, 'keyward_http_request_duration_seconds_sum')[0]?.split(' ')[1])).toBeCloseTo(
    60.3035,
  )
})

test('counts sign-ins by method and outcome', () => {
  const metrics = createMetrics()
  metrics.countSignIn('password', 'failed')
  metrics.countSignIn('password', 'failed')
  metrics.countSignIn('sso', 'ok')
  metrics.countUnauthenticated()
  expect(samples(metrics.text(), 'keyward_').filter((line) => !line.endsWith(' 0'))).toEqual([
    'keyward_unauthenticated_total 1',
    'keyward_sign_ins_total{method="password",outcome="failed"} 2',
    'keyward_sign_ins_total{method="sso",outcome="ok"} 1',
  ])
})

test('unknown methods are labelled `other`', () => {
  const metrics = createMetrics()
  metrics.observeResponse('ADA"}', null, 405, 0.001)
  metrics.observeResponse('GRACE', null, 405, 0.001)
  expect(samples(metrics.text(), 'keyward_http_requests_total')).toEqual([
    'keyward_http_requests_total{method="other",route="none",status="405"} 2',
  ])
})

test('counts looks into the memory of reads, and the versions that were confirmed', () => {
  const metrics = createMetrics()
  metrics.countRecall('caller', true)
  metrics.countRecall('answer', false)
  metrics.countRecall('answer', false)
  metrics.countConfirmation()
  expect(samples(metrics.text(), 'keyward_memory')).toEqual([
    'keyward_memory_reads_total{what="caller",result="hit"} 1',
    'keyward_memory_reads_total{what="caller",result="miss"} 0',
    'keyward_memory_reads_total{what="answer",result="hit"} 0',
    'keyward_memory_reads_total{what="answer",result="miss"} 2',
  ])
  expect(samples(metrics.text(), 'keyward_state')).toEqual(['keyward_state_confirmations_total 1'])
})
