import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Sharer } from '../../platform/turn-queues.ts'
import { latestNow } from '../clock-skew.ts'
import { isSameText } from '../constant-time.ts'

/** How long a device is known after its last sign-in. */
export const DEVICE_SECONDS = 365 * 24 * 3600

/** A browser is a known device of at most this many accounts, the last ones that signed in. */
const MAX_ACCOUNTS = 4

/** Further entries are ignored; no browser was given so many. */
const MAX_ENTRIES = 50

/**
 * What a device cookie is bound to: it is invalid for another account, and after a change of password. It also tells whether
 * the account was a member's.
 */
export type DeviceAccount = Readonly<{
  user_id: string
  password_hash: string | null
  member_id: string | null
}>

/**
 * The id of a known device of an account, from the values of its device cookies; null when none is valid. Does the same
 * work without an account.
 */
export const knownDevice = (
  ctx: Context,
  account: DeviceAccount | undefined,
  cookies: readonly string[],
): string | null => find(ctx, account ?? NO_ACCOUNT, entriesOf(ctx, cookies))?.id ?? null

/**
 * A device on which a member has signed in, whoever it was, from the values of device cookies; null when there is none. All
 * devices of an account have one share. It asks no database, so it proves nothing of an account: only in which line to wait
 * may depend on it.
 */
export function memberDevice(ctx: Context, cookies: readonly string[]): Sharer | null {
  const entries = entriesOf(ctx, cookies).slice(0, 2 * MAX_ACCOUNTS)
  const id = entries.find((entry) => isOfMember(ctx, entry))?.id
  if (id === undefined) return null
  const account = Buffer.from(id, 'base64url').subarray(0, TAG_BYTES)
  return { responsibleId: account.toString('hex'), branchId: id, id }
}

/**
 * The device cookie of a browser that has just entered or set an account's password. It keeps the entries of other
 * accounts and replaces this account's, which is bound to the password `before` if that has just changed.
 */
export function deviceCookie(
  ctx: Context,
  account: DeviceAccount,
  cookies: readonly string[],
  before: DeviceAccount = account,
): string {
  const entries = entriesOf(ctx, cookies)
  const replaced = find(ctx, before, entries)
  const expires = Math.floor(ctx.clock.now().getTime() / 1000) + DEVICE_SECONDS
  const id = newId(ctx, account, expires)
  const fresh = `${id}.${expires}.${macOf(ctx, account, id, expires)}`
  const kept = entries.filter((entry) => entry !== replaced).map(({ text }) => text)
  return [...new Set([fresh, ...kept])].slice(0, MAX_ACCOUNTS).join(SEPARATOR)
}

type Entry = Readonly<{ text: string; id: string; expires: number; mac: string }>

/** Matches no account: none has an empty id. */
const NO_ACCOUNT: DeviceAccount = { user_id: '', password_hash: null, member_id: null }

const SEPARATOR = '~'
const FORM = /^([A-Za-z0-9_-]{21}[AQgw])\.([1-9][0-9]{9,11})\.([A-Za-z0-9_-]{43})$/

/** The well-formed entries of all cookies that have not expired, and don't end later than one created now. */
function entriesOf(ctx: Context, cookies: readonly string[]): Entry[] {
  const now = ctx.clock.now()
  const [earliest, latest] = [now, latestNow(now)].map((date) => date.getTime() / 1000) as [number, number]
  return cookies
    .flatMap((cookie) => cookie.split(SEPARATOR, MAX_ENTRIES))
    .flatMap((text) => {
      const [, id = '', digits = '', mac = ''] = FORM.exec(text) ?? []
      const expires = Number(digits)
      return expires > earliest && expires <= latest + DEVICE_SECONDS ? [{ text, id, expires, mac }] : []
    })
    .slice(0, MAX_ENTRIES)
}

const find = (ctx: Context, account: DeviceAccount, entries: readonly Entry[]): Entry | undefined =>
  entries.find(({ id, expires, mac }) => isSameText(mac, macOf(ctx, account, id, expires)))

/**
 * A random id of 16 bytes. A member's begins with a tag of the account, and its second half is a MAC, which proves that it is
 * a member's.
 */
function newId(ctx: Context, { user_id, member_id }: DeviceAccount, expires: number): string {
  if (member_id === null) return randomBytes(16).toString('base64url')
  const account = hmac(ctx, 'account', user_id).subarray(0, TAG_BYTES)
  const start = Buffer.concat([account, randomBytes(ID_HALF - TAG_BYTES)])
  return Buffer.concat([start, memberMac(ctx, start, expires)]).toString('base64url')
}

const ID_HALF = 8
const TAG_BYTES = 4

function isOfMember(ctx: Context, { id, expires }: Entry): boolean {
  const bytes = Buffer.from(id, 'base64url')
  return timingSafeEqual(bytes.subarray(ID_HALF), memberMac(ctx, bytes.subarray(0, ID_HALF), expires))
}

const memberMac = (ctx: Context, start: Uint8Array, expires: number): Buffer =>
  hmac(ctx, `until ${expires}`, start).subarray(0, ID_HALF)

const hmac = (ctx: Context, purpose: string, data: string | Uint8Array): Buffer =>
  createHmac('sha256', ctx.config.secretKey).update(`keyward/member-device/${purpose}/`).update(data).digest()

function macOf(ctx: Context, account: DeviceAccount, id: string, expires: number): string {
  const bound = [account.user_id, account.password_hash, id, expires]
  return createHmac('sha256', ctx.config.secretKey)
    .update(`keyward/device/${JSON.stringify(bound)}`)
    .digest('base64url')
}
