import { expect, test } from 'bun:test'
import { existing, host, type Manifest, ofKind, parse, podTemplates, render, renderText } from './helm.ts'

const SELECTOR = ['app.kubernetes.io/name', 'app.kubernetes.io/instance', 'app.kubernetes.io/component']
const selecting = ['Service', 'Deployment', 'StatefulSet', 'NetworkPolicy', 'PodDisruptionBudget']

/** The labels by which an object selects pods. */
const selectorOf = ({ spec }: Manifest) =>
  spec.selector?.matchLabels ?? spec.podSelector?.matchLabels ?? spec.selector

test('labels of your own are on every object and pod, once, and in no selector; those that select stay', () => {
  const commonLabels = {
    team: 'a',
    'app.kubernetes.io/part-of': 'platform',
    'app.kubernetes.io/component': 'mine',
  }
  const text = renderText({ host, ...existing, commonLabels })
  const objects = parse(text)
  expect(text).not.toContain('app.kubernetes.io/part-of: keyward')
  expect(text).not.toContain('component: mine')
  const templates = podTemplates(objects)
  expect(templates).toHaveLength(6)
  for (const { metadata } of [...objects, ...templates]) {
    expect(metadata.labels).toMatchObject({ team: 'a', 'app.kubernetes.io/part-of': 'platform' })
  }
  for (const kind of selecting) {
    for (const object of ofKind(objects, kind)) expect(Object.keys(selectorOf(object))).toEqual(SELECTOR)
  }
})

test('the pods of each component take labels of their own, before those of all', () => {
  const [commonLabels, podLabels] = [{ team: 'all' }, { team: 'own' }]
  const own = Object.fromEntries(
    ['backend', 'frontend', 'worker', 'migration', 'postgres', 'redis'].map((name) => [name, { podLabels }]),
  )
  const labels = podTemplates(render({ ...existing, commonLabels, ...own })).map(
    ({ metadata }) => metadata.labels,
  )
  expect(labels.map((of) => of.team)).toEqual(Array(6).fill('own'))
})
