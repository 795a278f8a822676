import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHART, existing, HELMS, type HelmVersion, helm, host, parse, pods, type Values } from './helm.ts'

let parent: string

beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'keyward-parent-'))
  cpSync(CHART, join(parent, 'charts/keyward'), { recursive: true })
  const dependencies = [{ name: 'keyward', version: '*', condition: 'keyward.enabled' }]
  const chart = { apiVersion: 'v2', name: 'platform', version: '1.0.0', dependencies }
  writeFileSync(join(parent, 'Chart.yaml'), JSON.stringify(chart))
})
afterAll(() => rmSync(parent, { recursive: true }))

describe.each(Object.keys(HELMS) as HelmVersion[])('as a dependency of another chart, with %s', (version) => {
  /** What the chart of above renders when its own values say this of Keyward. */
  function render(keyward: Values) {
    const values = { keyward: { host, ...existing, ...keyward }, global: { registry: 'localhost:5000' } }
    writeFileSync(join(parent, 'values.yaml'), JSON.stringify(values))
    const { text, error } = helm(version, ['template', 'platform', parent])
    expect(error).toBe('')
    return parse(text)
  }

  test('it is there by condition, beside values that are for all charts', () => {
    expect(render({ enabled: false })).toEqual([])
    expect(pods(render({ enabled: true }))).toHaveLength(7)
  })

  test('the users of its pods can be left to the platform, where Helm 4 ignores a null', () => {
    const all = pods(render({ openshift: true }))
    expect(all).toHaveLength(7)
    for (const [, pod] of all) expect(pod.securityContext).not.toHaveProperty('runAsUser')
  })
})
