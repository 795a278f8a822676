import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { NOTICE_KINDS } from '../../../src/core/notices/notice.ts'
import { sendNotice } from '../../../src/core/notices/notice-mail.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { owner, type Person } from '../../support/people.ts'

let ctx: TestContext
let ada: Person

beforeAll(async () => {
  ctx = await testContext({ SMTP_HOST: 'mail.example.org', SMTP_FROM: 'keyward@example.org' })
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

test('every kind of notice has a subject and a sentence of its own', async () => {
  const delivery = { jobId: randomUUID(), signal: new AbortController().signal }
  for (const notice of NOTICE_KINDS) {
    await sendNotice(ctx, { userId: ada.userId, notice, name: 'Developer' }, delivery)
  }
  const mails = ctx.mailer.sent.slice(-NOTICE_KINDS.length)
  expect(mails).toHaveLength(NOTICE_KINDS.length)
  for (const mail of mails) expect(mail.to).toContain('@')
  expect(new Set(mails.map(({ subject }) => subject)).size).toBe(NOTICE_KINDS.length)
  expect(new Set(mails.map(({ text }) => text)).size).toBe(NOTICE_KINDS.length)
})
