import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { latestNow } from '../clock-skew.ts'
import * as queries from './queries.ts'

/** How long a challenge can be answered. */
export const CHALLENGE_SECONDS = 300

/**
 * What a challenge is for, and what its answer must come with: the browser that signs in, its ticket too, or the session
 * that adds a passkey.
 */
export type ChallengeUse =
  | Readonly<{ purpose: 'sign in'; browser: string }>
  | Readonly<{ purpose: 'second factor'; browser: string; ticket: string }>
  | Readonly<{ purpose: 'registration'; sessionId: string }>

/** A challenge of ours that was answered, and when it expires. */
export type AnsweredChallenge = Readonly<{ hash: Buffer; expiresAt: Date }>

/**
 * A new challenge, base64url: 16 random bytes, the second in which it expires, and an HMAC under SECRET_KEY of both and
 * of its use. Nothing is stored, so strangers who ask for challenges take no room.
 */
export function newChallenge(ctx: Context, use: ChallengeUse): string {
  const head = Buffer.concat([randomBytes(16), Buffer.alloc(4)])
  head.writeUInt32BE(Math.floor(ctx.clock.now().getTime() / 1000) + CHALLENGE_SECONDS, 16)
  return Buffer.concat([head, macOf(ctx, use, head)]).toString('base64url')
}

/** Reads a challenge that was answered; null unless it is one of ours for this use, and has not expired. */
export function readChallenge(ctx: Context, use: ChallengeUse, challenge: string): AnsweredChallenge | null {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length !== HEAD_BYTES + 32) return null
  const head = bytes.subarray(0, HEAD_BYTES)
  if (!timingSafeEqual(bytes.subarray(HEAD_BYTES), macOf(ctx, use, head))) return null
  const expiresAt = new Date(head.readUInt32BE(16) * 1000)
  const now = ctx.clock.now()
  const latest = latestNow(now).getTime() + CHALLENGE_SECONDS * 1000
  if (expiresAt <= now || expiresAt.getTime() > latest) return null
  return { hash: createHash('sha256').update(bytes).digest(), expiresAt }
}

/**
 * Has `verify` check an answer for this use, and tells which challenge it answers; null unless it is valid and the
 * challenge is one of ours.
 */
export async function verifyChallenged<T>(
  ctx: Context,
  use: ChallengeUse,
  verify: (isExpected: (challenge: string) => boolean) => Promise<T | null>,
): Promise<{ verified: T; challenge: AnsweredChallenge } | null> {
  const ours: AnsweredChallenge[] = []
  const verified = await verify((text) => {
    const challenge = readChallenge(ctx, use, text)
    if (challenge !== null) ours.push(challenge)
    return challenge !== null
  })
  const [challenge] = ours
  return verified === null || challenge === undefined ? null : { verified, challenge }
}

/** Uses a challenge up; false when it was answered before, on whichever replica. */
export const useChallenge = async (
  tx: Transaction,
  { hash, expiresAt }: AnsweredChallenge,
): Promise<boolean> => (await queries.useChallenge(tx, hash, expiresAt)).count > 0

const HEAD_BYTES = 20

function macOf(ctx: Context, use: ChallengeUse, head: Buffer): Buffer {
  const { purpose, ...bound } = use
  const text = JSON.stringify([purpose, Object.values(bound), head.toString('base64url')])
  return createHmac('sha256', ctx.config.secretKey).update(`keyward/passkey-challenge/${text}`).digest()
}
