import { X509Certificate } from 'node:crypto'
import { isPrintable, type PlainName, quoted, type Settings } from './settings.ts'

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g

/** The certificate authorities of a variable that holds PEM text or the path of a PEM file; null when unset. */
export function readCertificates(settings: Settings, name: PlainName): string | null {
  const value = settings.block(name)
  if (value === null) return null
  return parseCertificates(settings, name, value, isPrintable(value) ? `file ${quoted(value)}` : 'file')
}

/** The same for a value that stands inside a secret: it is never printed, `subject` and `file` name it in a fault. */
export function parseCertificates(settings: Settings, subject: string, value: string, file = 'file') {
  const isText = value.includes('-----BEGIN')
  const pem = isText ? value : settings.file(value, `${subject} is taken for a path, and the ${file}`)
  if (pem === null || isPem(pem)) return pem
  settings.fault(
    isText
      ? `${subject} is taken for PEM text, but it isn't one or more whole certificates.`
      : `${subject} is taken for a path, but the ${file} isn't one or more whole PEM certificates.`,
  )
  return null
}

function isPem(text: string): boolean {
  const certificates = text.match(PEM) ?? []
  return certificates.length > 0 && certificates.every(isCertificate)
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined
  } catch {
    return false
  }
}
