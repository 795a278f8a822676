import { expect, test } from 'bun:test'
import { backendConfig, backendFaults } from '../support/variables.ts'

test('audit entries are kept for ever, unless a number of days is given', () => {
  expect(backendConfig({}).auditRetentionDays).toBeNull()
  expect(backendConfig({ AUDIT_RETENTION_DAYS: 'Off' }).auditRetentionDays).toBeNull()
  expect(backendConfig({ AUDIT_RETENTION_DAYS: '1' }).auditRetentionDays).toBe(1)
  expect(backendConfig({ AUDIT_RETENTION_DAYS: '36500' }).auditRetentionDays).toBe(36_500)
})

test.each(['0', '-1', '1.5', '36501', '1e2', '90d', 'never'])('%s days are refused', (value) => {
  expect(backendFaults({ AUDIT_RETENTION_DAYS: value })).toEqual([
    `AUDIT_RETENTION_DAYS is "${value}"; it must be a whole number of days from 1 to 36500, or off.`,
  ])
})
