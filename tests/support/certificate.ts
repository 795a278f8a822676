import { generateKeyPairSync, sign } from 'node:crypto'

/** A certificate for `localhost` that vouches for itself, and its private key; PEM. Good from 2020 to 2099. */
export function selfSignedCertificate(): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('localhost')))))
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    sequence(ECDSA_WITH_SHA256),
    name,
    sequence(der(0x18, Buffer.from('20200101000000Z')), der(0x18, Buffer.from('20990101000000Z'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(SELF_ISSUED, sequence(ALTERNATIVE_NAME, der(0x04, sequence(LOCALHOST))))),
  )
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', content, privateKey)]))
  const certificate = sequence(content, sequence(ECDSA_WITH_SHA256), signature).toString('base64')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const header = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...header]), content])
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, Buffer.concat(parts))
const identifier = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))

const COMMON_NAME = identifier('550403')
const ECDSA_WITH_SHA256 = identifier('2a8648ce3d040302')
const ALTERNATIVE_NAME = identifier('551d11')
const LOCALHOST = der(0x82, Buffer.from('localhost'))
const IS_AUTHORITY = der(0x04, sequence(der(0x01, Buffer.from([255]))))
const SELF_ISSUED = sequence(identifier('551d13'), der(0x01, Buffer.from([255])), IS_AUTHORITY)
