import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHART, existing, HELMS, type HelmVersion, host, refusal, renderText, type Values } from './helm.ts'
import { valueRows } from './values-table.ts'

const enabled = { enabled: true }
/** Values with which every template renders something. */
const everything: Values = {
  host,
  ...existing,
  ingress: enabled,
  httpRoute: { ...enabled, parentRefs: [{ name: 'public' }] },
  serviceMonitor: enabled,
  dashboard: enabled,
  reloader: enabled,
}

/** The lists and maps that are empty unless they are given. */
const empty = valueRows(readFileSync(join(CHART, 'values.yaml'), 'utf8'))
  .filter((row) => row.default === '[]' || row.default === '{}')
  .map((row) => row.path)

/** A copy of values in which one, named by its path, is another. */
function replaced(values: Values, path: string, value: unknown): Values {
  const [key = '', ...rest] = path.split('.')
  const own = (values[key] ?? {}) as Values
  return { ...values, [key]: rest.length === 0 ? value : replaced(own, rest.join('.'), value) }
}

test('the default values include empty values of every kind', () => {
  expect(empty.length).toBeGreaterThan(50)
  for (const path of ['extraHosts', 'commonLabels', 'sso.providers', 'backend.podLabels'])
    expect(empty).toContain(path)
})

describe.each(Object.keys(HELMS) as HelmVersion[])('with %s', (version) => {
  const usual = renderText(everything, { helm: version })

  test('a key without a value is read as an empty list or map', () => {
    const paths = empty.filter((path) => path !== 'httpRoute.parentRefs')
    const nulls = paths.reduce((values, path) => replaced(values, path, null), everything)
    expect(renderText(nulls, { helm: version })).toBe(usual)
  })

  test('a key without a value is refused where an empty value is refused', () => {
    const message = refusal(replaced(everything, 'httpRoute.parentRefs', null), version)
    expect(message).toContain('httpRoute.parentRefs is empty')
  })
})
