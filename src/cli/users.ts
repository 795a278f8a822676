import * as accounts from '../core/operators/accounts.ts'
import { operator } from '../core/operators/operator.ts'
import * as ownership from '../core/organisations/ownership-by-operator.ts'
import type { Terminal } from '../platform/terminal.ts'
import { type Command, Declined, type Group, type Input, UsageError } from './command.ts'
import { confirm } from './confirm.ts'
import { printable, table } from './table.ts'

const list: Command = {
  name: 'list',
  usage: '',
  summary: 'Lists all accounts, oldest first: role, ways to sign in, and whether the address was verified.',
  switches: ['json'],
  faultOf: ({ arguments: [extra] }) =>
    extra === undefined ? null : `users list takes no argument: ${extra}.`,
  async run(ctx, terminal, { switches }) {
    const all: accounts.OperatorAccount[] = []
    for await (const some of accounts.listAccounts(ctx)) all.push(...some)
    if (switches.has('json')) return terminal.print(`${JSON.stringify({ data: all })}\n`)
    await terminal.print(table(HEADINGS, all.map(row)))
  },
}

const HEADINGS = ['E-MAIL', 'NAME', 'ROLE', 'SIGN-IN', '2ND FACTOR', 'VERIFIED', 'CREATED']

const row = (account: accounts.OperatorAccount): string[] => [
  account.email,
  account.fullName === '' ? '-' : account.fullName,
  account.role ?? 'not a member',
  account.methods.length === 0 ? '-' : account.methods.join(', '),
  account.secondFactors.length === 0 ? '-' : account.secondFactors.join(', '),
  account.emailVerified ? 'yes' : 'no',
  account.createdAt.slice(0, 10),
]

const reset: Command = {
  name: 'reset',
  usage: '<email>',
  summary: 'Prints a link that sets a new password of the account: for an hour, once. No mail is sent.',
  switches: ['remove-second-factor', 'json'],
  faultOf: emailFault,
  async run(ctx, terminal, input) {
    refuseLog(terminal, input)
    const { url, expiresAt } = await accounts.createResetLink(ctx, emailOf(input), {
      removesFactors: input.switches.has('remove-second-factor'),
    })
    if (input.switches.has('json')) {
      return terminal.print(`${JSON.stringify({ url, expiresAt: expiresAt.toISOString() })}\n`)
    }
    await terminal.print(`${url}\n`)
    terminal.warn(
      `Hand this link over in a way that you trust: whoever has it can set the password, once, until ${expiresAt.toISOString()}.\n` +
        'Links from before are void.\n',
    )
  },
}

/** A link in a log could be used by everybody who reads the log. */
function refuseLog(terminal: Terminal, { switches }: Input): void {
  if (terminal.isLogged) {
    throw new UsageError(
      'No link was made: standard output is kept in a log, where others could read it. Run the command in a terminal, ' +
        'such as kubectl exec -it or docker exec -it.',
    )
  }
  if (terminal.isSeen || switches.has('json')) return
  throw new UsageError(
    'No link was made: standard output is no terminal, and the link must not end in a log. Run the command in a terminal ' +
      '(kubectl exec -it, docker exec -it), or add --json if a program reads it.',
  )
}

const allowLink: Command = {
  name: 'allow-link',
  usage: '<email>',
  summary:
    'Lets the next single sign-on with this address, verified, link to the account: for 24 hours, once.',
  switches: ['json'],
  faultOf: emailFault,
  async run(ctx, terminal, input) {
    const until = (await accounts.allowNextLink(ctx, emailOf(input))).toISOString()
    if (input.switches.has('json')) return terminal.print(`${JSON.stringify({ until })}\n`)
    await terminal.print(
      `The next single sign-on with ${printable(emailOf(input))} links to the account, until ${until}.\n`,
    )
  },
}

const makeOwner: Command = {
  name: 'make-owner',
  usage: '<email>',
  summary: 'Makes a member the Owner, and the present Owner an Admin: for when the Owner has left.',
  switches: ['yes', 'json'],
  faultOf: emailFault,
  async run(ctx, terminal, input) {
    const email = emailOf(input)
    const { owner, next } = await ownership.previewOwner(ctx, email)
    if (owner.id === next.id) {
      terminal.warn(`${printable(owner.email)} is the Owner already. Nothing was changed.\n`)
    } else {
      const question = `Make ${nameOf(next)} the Owner, and ${nameOf(owner)} an Admin?`
      if (!(await confirm(terminal, input, question))) throw new Declined()
      await ownership.makeOwner(ctx, operator('users make-owner'), email, owner.id)
    }
    const result = { ownerId: next.id, formerOwnerId: owner.id === next.id ? null : owner.id }
    if (input.switches.has('json')) return terminal.print(`${JSON.stringify(result)}\n`)
    if (owner.id === next.id) return
    await terminal.print(
      `${printable(next.email)} is the Owner now, and ${printable(owner.email)} an Admin. ` +
        `If ${printable(owner.email)} has left, remove the member (DELETE /v1/members/${owner.id}/).\n`,
    )
  },
}

const nameOf = ({ email, name, role }: ownership.OwnershipMember): string =>
  printable(`${email} (${name === '' ? '' : `${name}, `}${role})`)

function emailFault({ arguments: [email, extra] }: Input): string | null {
  if (email === undefined) return 'The e-mail address of an account is missing.'
  if (!email.includes('@')) return `${email} is no e-mail address, such as ada@example.org.`
  return extra === undefined ? null : `One e-mail address at a time: ${extra} is too much.`
}

const emailOf = ({ arguments: [email = ''] }: Input): string => email

/** The commands about accounts. */
export const USERS: Group = {
  name: 'users',
  summary: 'Accounts, for operators: so that nobody is locked out.',
  commands: [list, reset, allowLink, makeOwner],
}
