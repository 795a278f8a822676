import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import { environmentField } from '../environments/key-copies.ts'
import { badRequest } from '../errors.ts'
import { environmentKeyPair } from '../keys/environment-keys.ts'
import { keyDigester } from '../keys/key-digest.ts'
import { type Decapsulation, decapsulate, ephemeralKeyOf } from '../keys/unwrapping.ts'
import { encapsulate, recipientOf } from '../keys/wrapping.ts'
import { loadFastestAead } from '../keys/xchacha20poly1305.ts'
import { found } from '../rows.ts'
import { SSE_OFF } from '../secrets/rekeying.ts'
import type { SecretRow } from '../secrets/secret.ts'
import { isKeysRenewed, keysRenewed } from '../secrets/writing.ts'
import { nameKey } from '../text.ts'
import { beforeChange } from '../transactions.ts'
import { yieldWhenDue } from '../yielding.ts'
import { notOpenable, type Openable } from './not-openable.ts'
import * as queries from './queries.ts'

/** Where secrets in clear are: an app's id, and the name of one of its environments in any case. */
export type NamedPlace = Readonly<{ app_id: string; env: string }>

/**
 * An environment that the server opens for one request. Its seed and its salt are each unwrapped at most once, when they
 * are first needed, and forgotten with the request, as `using` does.
 */
export type OpenedEnvironment = Disposable &
  Readonly<{
    row: queries.EnvironmentWithKeys
    /** The digest of a secret's name. */
    digest(name: string): string
    /** The text of what was sealed for the environment's public key; null for anything else. */
    open(sealed: string): string | null
    /** How many key agreements opening has taken: one for each ephemeral key. */
    agreements(): number
    /** What seals texts for the environment, all under one ephemeral key; dispose of it, too. */
    seals(): ReturnType<typeof encapsulate>
  }>

/** A key agreement takes about as long as reading so many bytes that are to be opened. */
const BYTES_PER_AGREEMENT = 1024

/** What opening texts counts among large answers, besides the bytes of them: one key agreement for each ephemeral key. */
export function agreementBytes(sealed: readonly string[]): number {
  const ephemeralKeys = new Set<string>()
  for (const text of sealed) if (text !== '') ephemeralKeys.add(ephemeralKeyOf(text))
  return BYTES_PER_AGREEMENT * ephemeralKeys.size
}

/** The environment of this name; 404 when the actor can't open one of it. */
export const findNamed = async (ctx: Context, actor: Actor, { app_id, env }: NamedPlace) =>
  found(await queries.findByName(ctx.db, actor, app_id, nameKey(env)), 'Environment')

async function openByName(ctx: Context, actor: Actor, place: NamedPlace): Promise<OpenedEnvironment> {
  const row = await findNamed(ctx, actor, place)
  if (!row.sse_enabled) throw badRequest(SSE_OFF)
  await loadFastestAead()
  return opened(ctx, row)
}

/**
 * Does work with the environment of this name, once more where its keys are renewed meanwhile. 404 when the actor can't
 * open one of it, 400 where the app has server-side encryption off: then no key is unwrapped.
 */
export const withOpened = <T>(ctx: Context, actor: Actor, place: NamedPlace, work: Work<T>): Promise<T> =>
  repeated(() => openByName(ctx, actor, place), work)

/** `withOpened` for a change, which has no turn to read. */
export const changeOpened = <T>(ctx: Context, actor: Actor, place: NamedPlace, work: Work<T>): Promise<T> =>
  repeated(() => beforeChange(ctx, actor, () => openByName(ctx, actor, place)), work)

type Work<T> = (environment: OpenedEnvironment) => Promise<T>

async function repeated<T>(open: () => Promise<OpenedEnvironment>, work: Work<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    using environment = await open()
    try {
      return await work(environment)
    } catch (error) {
      if (attempt === MOST_ATTEMPTS || !isKeysRenewed(error)) throw error
    }
  }
}

/** 409 when secrets were read that are sealed for other keys than those of an environment that was opened before. */
export function requireKeysOf(environment: OpenedEnvironment, publicKey: string): void {
  if (publicKey !== environment.row.public_key) throw keysRenewed()
}

const MOST_ATTEMPTS = 3

/** An environment of which the row was found. */
export function opened(ctx: Context, row: queries.EnvironmentWithKeys): OpenedEnvironment {
  const unwrap = (field: 'wrapped_seed' | 'wrapped_salt') =>
    ctx.keys.unwrap('environment-key', row[field], environmentField(row.id, field))
  let digester: ((name: string) => string) | null = null
  let decapsulation: Decapsulation | null = null
  return {
    row,
    digest: (name) => {
      digester ??= keyDigester(unwrap('wrapped_salt'))
      return digester(name)
    },
    open: (sealed) => {
      decapsulation ??= decapsulationOf(unwrap('wrapped_seed'))
      return openWith(decapsulation, sealed)
    },
    agreements: () => decapsulation?.agreements() ?? 0,
    seals: () => encapsulate(recipientOf(Buffer.from(row.public_key, 'hex'))),
    [Symbol.dispose]: () => {
      decapsulation?.[Symbol.dispose]()
      decapsulation = null
      digester = null
    },
  }
}

/**
 * What opens texts of an environment's secrets, and lets others have a turn in between. 409 names the id of a secret that
 * was not sealed for the environment: to leave it out in silence would take it away from whoever reads the answer.
 * `requireWaiting` throws where the answer is waited for no more.
 */
export function textOpener(
  environment: OpenedEnvironment,
  requireWaiting = () => {},
): (id: string, sealed: string, what?: Openable) => Promise<string> {
  const pause = yieldWhenDue()
  return async (id, sealed, what) => {
    if (sealed === '') return ''
    await pause()
    requireWaiting()
    const text = environment.open(sealed)
    if (text === null) throw notOpenable(id, what)
    return text
  }
}

/** Secrets with their texts in clear, those of the override, too. 409 as `textOpener`. */
export async function openSecrets(
  environment: OpenedEnvironment,
  rows: readonly SecretRow[],
  requireWaiting?: () => void,
): Promise<SecretRow[]> {
  const open = textOpener(environment, requireWaiting)
  const plain: SecretRow[] = []
  for (const row of rows) {
    const { id, override } = row
    plain.push({
      ...row,
      key: await open(id, row.key),
      value: await open(id, row.value),
      comment: await open(id, row.comment),
      override: override && {
        ...override,
        value: await open(id, override.value, 'Your override of the secret'),
      },
    })
  }
  return plain
}

function openWith(decapsulation: Decapsulation, sealed: string): string | null {
  try {
    return decapsulation.unwrap(sealed)
  } catch {
    return null
  }
}

function decapsulationOf(seed: string): Decapsulation {
  const { publicKey, secretKey } = environmentKeyPair(seed)
  const decapsulation = decapsulate(publicKey, secretKey)
  secretKey.fill(0)
  return decapsulation
}
