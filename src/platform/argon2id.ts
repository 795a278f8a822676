/** What one hash costs: KiB of memory, and passes over it; always one lane. */
export type Argon2Cost = Readonly<{ memoryCost: number; timeCost: number }>

/** A runtime's argon2id. Each makes PHC strings that every other one verifies. */
export type Argon2id = Readonly<{
  hash(password: string, cost: Argon2Cost): Promise<string>
  /** False for another password. Rejects where `hash` is no PHC string of argon2id. */
  verify(hash: string, password: string): Promise<boolean>
}>
