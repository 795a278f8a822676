import type { SsoConfig, SsoProviderConfig } from '../platform/sso/provider-config.ts'
import { readCertificates } from './certificates.ts'
import { isPrintable, quoted, type Settings } from './settings.ts'
import { SSO_PRESETS, type SsoPreset } from './sso-presets.ts'

const NAME = /^(?=.{1,40}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const SCOPES = 'openid profile email'

/** Single sign-on by SSO_PROVIDERS, or the older variable, and the variables of each provider. */
export function readSso(settings: Settings): SsoConfig {
  const ca = readCertificates(settings, 'SSO_CA')
  const isHttpAllowed = settings.boolean('SSO_ALLOW_HTTP_ISSUERS')
  const providers = readNames(settings).map((id) => readProvider(settings, id, isHttpAllowed))
  return { providers, ca }
}

function readNames(settings: Settings): string[] {
  const variable = settings.isSet('SSO_PROVIDERS') ? 'SSO_PROVIDERS' : 'NEXT_PUBLIC_NEXTAUTH_PROVIDERS'
  const names = settings.list(variable).map((name) => name.toLowerCase())
  for (const name of new Set(names)) {
    if (!NAME.test(name)) {
      const subject = isPrintable(name) ? quoted(name) : "a name that can't be used"
      settings.fault(
        `${variable} contains ${subject}; each entry must be a provider's name of at most 40 lower-case letters, digits and hyphens, such as google or my-idp.`,
      )
    } else if (names.indexOf(name) !== names.lastIndexOf(name)) {
      settings.fault(`${variable} names ${name} twice.`)
    }
  }
  return [...new Set(names)].filter((name) => NAME.test(name))
}

function readProvider(settings: Settings, id: string, isHttpAllowed: boolean): SsoProviderConfig {
  const preset = SSO_PRESETS.get(id) ?? { name: id }
  const prefix = id.toUpperCase().replaceAll('-', '_')
  const issuer = readIssuer(settings, prefix, preset, isHttpAllowed)
  const clientSecret = settings.secret(`${prefix}_CLIENT_SECRET`)
  if (!settings.isSet(`${prefix}_CLIENT_SECRET`)) {
    settings.fault(
      `${prefix}_CLIENT_SECRET is not set: set it, or ${prefix}_CLIENT_SECRET_FILE, to the secret of Keyward at ${preset.name}.`,
    )
  }
  return {
    kind: preset.kind ?? 'openid',
    id,
    name: readDisplayName(settings, prefix) ?? preset.name,
    issuer,
    clientId: readClientId(settings, prefix, preset),
    clientSecret: clientSecret ?? '',
    scopes: readScopes(settings, prefix, preset),
    emailVerification: ENTRA.test(issuer) ? 'xms_edov' : (preset.emailVerification ?? 'email_verified'),
    clientAuthentication: preset.clientAuthentication ?? null,
  }
}

function readDisplayName(settings: Settings, prefix: string): string | null {
  const name = settings.text(`${prefix}_DISPLAY_NAME`)
  if (name !== null && [...name].length > 64)
    settings.reject(`${prefix}_DISPLAY_NAME`, 'at most 64 characters')
  return name
}

function readClientId(settings: Settings, prefix: string, preset: SsoPreset): string {
  const id = settings.text(`${prefix}_CLIENT_ID`)
  if (id === null && !settings.isSet(`${prefix}_CLIENT_ID`)) {
    settings.fault(`${prefix}_CLIENT_ID is not set: set it to the client id of Keyward at ${preset.name}.`)
  }
  return id ?? ''
}

const MICROSOFT = 'https://login.microsoftonline.com'

/** Whatever the deployment calls it, what vouches for an address is the same. */
const ENTRA = /^https:\/\/login\.(partner\.)?microsoftonline\.[a-z]+(:443)?(\/|$)/i

function readIssuer(settings: Settings, prefix: string, preset: SsoPreset, isHttpAllowed: boolean): string {
  const variable = `${prefix}_ISSUER` as const
  const issuer = settings.text(variable) ?? preset.issuer ?? null
  if (issuer === null) {
    if (!settings.isSet(variable)) {
      const form = preset.form ?? 'https://<host>, as its discovery document states it'
      settings.fault(`${variable} is not set: set it to the issuer of ${preset.name}, of the form ${form}.`)
    }
    return ''
  }
  const url = URL.parse(issuer)
  if (url === null || !['https:', 'http:'].includes(url.protocol) || /[?#\s]|@/.test(issuer)) {
    settings.reject(variable, 'an https:// address without credentials, query and fragment')
  } else if (url.protocol === 'http:' && !isHttpAllowed) {
    settings.reject(variable, 'an https:// address (http:// needs SSO_ALLOW_HTTP_ISSUERS=true)')
  } else if (url.pathname.includes('/.well-known/')) {
    settings.reject(variable, 'the issuer alone, without /.well-known/ and what follows')
  }
  // Entra ID has no tenant of several at its bare address.
  return issuer.replace(/\/$/, '') === MICROSOFT ? `${MICROSOFT}/organizations/v2.0` : issuer
}

function readScopes(settings: Settings, prefix: string, preset: SsoPreset): string[] {
  const variable = `${prefix}_SCOPES` as const
  const text = settings.text(variable)
  const scopes = (text ?? preset.scopes ?? SCOPES).split(/[\s,]+/).filter((scope) => scope !== '')
  if (scopes.some((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(scope)) || scopes.length > 30) {
    settings.reject(variable, `scopes separated by spaces, such as ${SCOPES}`)
  } else if (preset.kind === undefined && !scopes.includes('openid')) {
    settings.reject(variable, `scopes that contain openid, such as ${SCOPES}`)
  }
  return scopes
}
