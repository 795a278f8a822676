import type { Job } from '../../src/platform/queue/worker.ts'
import { schedule } from '../../src/worker/schedule.ts'
import type { TestContext } from './context.ts'

/** Does what the queue holds, as a worker would, and empties it. Gives the jobs' names. */
export async function runJobs(ctx: TestContext): Promise<string[]> {
  const jobs = await ctx.db<{ id: string; name: string; data: Record<string, unknown> }[]>`
    select id, name, data from pgboss.job where state = 'created' order by priority desc, created_on, id`
  for (const { id, name, data } of jobs) {
    await jobCalled(ctx, name).run(data, new AbortController().signal, id)
    await ctx.db`delete from pgboss.job where id = ${id}`
  }
  return jobs.map(({ name }) => name)
}

/** One of the worker's jobs. */
export function jobCalled(ctx: TestContext, name: string): Job {
  const job = schedule(ctx).find((one) => one.name === name)
  if (job === undefined) throw new Error(`the worker knows no job called ${name}`)
  return job
}

/** The token of the link in the last mail, and where it leads. */
export function lastLink(ctx: TestContext): { to: string; url: string; token: string } {
  const mail = ctx.mailer.sent.at(-1)
  const [, url = '', token = ''] = /^(https?:\/\/\S+)#(\S+)$/m.exec(mail?.text ?? '') ?? []
  return { to: mail?.to ?? '', url, token }
}
