import { expect, test } from 'bun:test'
import { remove, update } from '../../../src/core/apps/policy.ts'
import { answerOf, HOLDERS } from '../../support/role-holders.ts'

for (const actor of HOLDERS) {
  for (const hiddenEnvironments of [0, 1, 3]) {
    const isAllowed = hiddenEnvironments === 0 || ['owner', 'admin'].includes(actor.role.kind)
    const expected = isAllowed
      ? null
      : "403 You can't delete this app: it has environments that you can't open."
    test(`${actor.id} deleting an app with ${hiddenEnvironments} hidden environments: ${expected}`, () => {
      expect(answerOf(remove, { actor, hiddenEnvironments })).toBe(expected)
    })
  }
}

for (const actor of HOLDERS) {
  for (const setsEncryptionMode of [false, true]) {
    const may = ['owner', 'admin', 'manager', 'developer'].includes(actor.role.kind)
    const expected =
      !setsEncryptionMode || may ? null : "403 You don't have permission to update encryption mode."
    test(`${actor.id} changing an app, ${setsEncryptionMode ? 'with' : 'without'} its mode: ${expected}`, () => {
      expect(answerOf(update, { actor, setsEncryptionMode })).toBe(expected)
    })
  }
}
