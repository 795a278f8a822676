/** libsodium as WebAssembly, of which only what is used here is declared; addresses are indexes of `HEAPU8`. */
declare module 'libsodium' {
  export type Sodium = {
    /** The memory; another object after it has grown. */
    HEAPU8: Uint8Array
    _sodium_init(): number
    _malloc(length: number): number
    _free(address: number): void
    /** 64-bit lengths are two arguments, the low half first. Gives 0 when it encrypted. */
    _crypto_aead_xchacha20poly1305_ietf_encrypt(
      ciphertext: number,
      ciphertextLength: 0,
      plaintext: number,
      plaintextLength: number,
      plaintextLengthHigh: 0,
      associatedData: number,
      associatedDataLength: number,
      associatedDataLengthHigh: 0,
      secretNonce: 0,
      nonce: number,
      key: number,
    ): number
    /** Gives 0 when the tag is right. */
    _crypto_aead_xchacha20poly1305_ietf_decrypt(
      plaintext: number,
      plaintextLength: 0,
      secretNonce: 0,
      ciphertext: number,
      ciphertextLength: number,
      ciphertextLengthHigh: 0,
      associatedData: number,
      associatedDataLength: number,
      associatedDataLengthHigh: 0,
      nonce: number,
      key: number,
    ): number
  }
  const createSodium: (options?: object) => Promise<Sodium>

  // biome-ignore lint/style/noDefaultExport: the package's own.
  export { createSodium as default }
}
