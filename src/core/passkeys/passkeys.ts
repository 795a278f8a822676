import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { recordCaller } from '../accounts/account-audit.ts'
import type { Page, PageRequest } from '../contract/lists.ts'
import { badRequest } from '../errors.ts'
import { requireRoom } from '../limits.ts'
import { typed } from '../mail/letter.ts'
import { queueNotice } from '../notices/notices.ts'
import { listByCreation } from '../pagination.ts'
import { countOf, found, written } from '../rows.ts'
import type { FirstRecoveryCodes } from '../second-factor/factor.ts'
import { factorsOf, voidLoneRecoveryCodes } from '../second-factor/factors.ts'
import { firstRecoveryCodes } from '../second-factor/recovery-codes.ts'
import type { SignedInUser } from '../sessions/session.ts'
import { changeOwnSignIn } from '../sign-in/own-change.ts'
import { requireWayIn } from '../sign-in/ways-in.ts'
import { normaliseName } from '../text.ts'
import { beforeChange } from '../transactions.ts'
import { userHandleOf } from './assertions.ts'
import { CHALLENGE_SECONDS, newChallenge, useChallenge, verifyChallenged } from './challenges.ts'
import { type AddPasskey, MOST_PASSKEYS, type Passkey, present, type RegistrationOptions } from './passkey.ts'
import * as queries from './queries.ts'
import { ALGORITHMS, verifyRegistration } from './webauthn.ts'

/** The caller's passkeys, oldest first. */
export const list = (ctx: Context, caller: SignedInUser, request: PageRequest): Promise<Page<Passkey>> =>
  listByCreation(
    ctx,
    `passkeys/${caller.userId}`,
    request,
    (range) => queries.list(ctx.db, caller.userId, range),
    present,
  )

/** What a browser needs to create a passkey for the caller, in this session. */
export async function registrationOptions(ctx: Context, caller: SignedInUser): Promise<RegistrationOptions> {
  const { userId, email, name } = caller
  return {
    challenge: newChallenge(ctx, useOf(caller)),
    timeout: CHALLENGE_SECONDS * 1000,
    rp: { id: ctx.config.host, name: 'Keyward' },
    user: { id: userHandleOf(userId), name: email, displayName: name || email },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    attestation: 'none',
    excludeCredentials: await beforeChange(ctx, caller, () => describePasskeys(ctx, userId)),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
  }
}

/** The passkeys of an account that a browser is to look for. */
export const describePasskeys = async (ctx: Context, userId: string) =>
  (await queries.descriptors(ctx.db, userId, ctx.config.host)).map(({ credential_id, transports }) => ({
    id: Buffer.from(credential_id).toString('base64url'),
    type: 'public-key' as const,
    transports,
  }))

/**
 * Adds a passkey that the caller's browser has created. Gives recovery codes unless the account has some. 400 when it
 * can't be verified, 409 for one that is known already, and beyond `MOST_PASSKEYS`.
 */
export async function add(
  ctx: Context,
  caller: SignedInUser,
  { name, passkey }: AddPasskey,
): Promise<Passkey & FirstRecoveryCodes> {
  const answer = await verifyChallenged(ctx, useOf(caller), (isExpected) =>
    verifyRegistration(ctx, passkey, isExpected),
  )
  if (answer === null) throw invalid()
  const { verified, challenge } = answer
  return changeOwnSignIn(ctx, caller, async (tx) => {
    const { userId } = caller
    if (!(await useChallenge(tx, challenge))) throw invalid()
    requireRoom(MOST_PASSKEYS, await countOf(queries.count(tx, userId)))
    const factors = await factorsOf(ctx, tx, userId)
    const row = written(
      await queries.insert(tx, {
        id: randomUUID(),
        user_id: userId,
        rp_id: ctx.config.host,
        credential_id: verified.credentialId,
        public_key: verified.publicKey,
        counter: verified.counter,
        transports: (passkey.response.transports ?? []).filter((word) => /^[a-z-]{1,32}$/.test(word)),
        name: normaliseName(name),
        created_at: ctx.clock.now(),
      }),
    )
    const recoveryCodes = await firstRecoveryCodes(tx, userId, factors)
    await recordAddition(ctx, tx, caller, row)
    return { ...present(row), recoveryCodes }
  })
}

/**
 * Removes one of the caller's passkeys; without another factor the recovery codes are void. 404 for any other, 403 when it
 * is the last way in.
 */
export const remove = (ctx: Context, caller: SignedInUser, id: string): Promise<void> =>
  changeOwnSignIn(ctx, caller, async (tx) => {
    const { userId } = caller
    const row = found(await queries.remove(tx, userId, id), 'Passkey')
    await requireWayIn(ctx, tx, userId)
    await voidLoneRecoveryCodes(ctx, tx, userId)
    await recordCaller(ctx, tx, caller, {
      eventType: 'user.passkey_removed',
      resourceId: userId,
      oldValues: { passkeyId: row.id, name: row.name },
      description: `Passkey "${row.name}" removed.`,
    })
    await queueNotice(ctx, tx, userId, 'sign-in-method-removed', `The passkey ${typed(row.name)}`)
  })

const useOf = ({ credential }: SignedInUser) =>
  ({ purpose: 'registration', sessionId: credential.id }) as const

const invalid = () =>
  badRequest('passkey could not be verified. Begin again: a challenge is valid for 5 minutes, once.')

async function recordAddition(
  ctx: Context,
  tx: Transaction,
  caller: SignedInUser,
  { id, name }: queries.PasskeyRow,
): Promise<void> {
  await recordCaller(ctx, tx, caller, {
    eventType: 'user.passkey_added',
    resourceId: caller.userId,
    newValues: { passkeyId: id, name },
    description: `Passkey "${name}" added.`,
  })
  await queueNotice(ctx, tx, caller.userId, 'sign-in-method-added', `The passkey ${typed(name)}`)
}
