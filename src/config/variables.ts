type Row = Readonly<{ name: string; default: string | null; meaning: string; secret: boolean }>

/**
 * Every variable of the environment that Keyward reads; one with `secret` can also be given as
 * `<NAME>_FILE`, the path of a file that holds the value. A default that depends on others is in the meaning.
 */
export const CONFIGURATION = [
  plain('PORT', '8080', 'Port to listen on.'),
  plain(
    'BIND_ADDRESS',
    null,
    'Address to listen on: 127.0.0.1 with the embedded database, otherwise 0.0.0.0 (all).',
  ),
  plain(
    'METRICS_PORT',
    null,
    'Port for Prometheus, which asks for no credentials; without it there are no metrics. Not the same as PORT.',
  ),
  plain('KEYWARD_DATA', './data', 'Directory of the embedded database and its generated secrets.'),
  plain(
    'HOST',
    null,
    'Public host name, host:port or origin; without a scheme https, for localhost and loopback http. ' +
      'With the embedded database localhost:$PORT, otherwise required.',
  ),
  plain(
    'ALLOWED_HOSTS',
    null,
    'Host names that requests may name, comma-separated; .example.org stands for its subdomains. ' +
      'Must contain the host of HOST, which is the default.',
  ),
  plain(
    'ALLOWED_ORIGINS',
    null,
    'Origins that browsers may call from, comma-separated. Must contain the origin of HOST, which is the default.',
  ),
  plain(
    'TRUSTED_PROXIES',
    null,
    'Proxies whose X-Forwarded-*, X-Request-Id and traceparent headers are trusted: CIDRs and the word private, ' +
      'comma-separated.',
  ),
  secret('SECRET_KEY', 'Key for links and cursors: 64 hexadecimal characters.'),
  secret(
    'SERVER_SECRET',
    'Key that protects the environment keys: 64 hexadecimal characters. Back it up: without it they cannot be read.',
  ),
  secret('SETUP_TOKEN', 'When set, required as setup_token to register the first account.'),
  plain('REGISTRATION', 'open', 'Who may register after the first account: open or invite.'),
  plain('ENABLE_PASSWORD_AUTH', 'true', 'Whether people can register and sign in with a password.'),
  plain(
    'PASSWORD_HASHING',
    'true',
    'Whether passwords can be hashed here: false where the platform ends a request that takes 0.2 s of processor time. ' +
      'Routes that need a password then answer 501, and people sign in with a passkey or single sign-on.',
  ),
  plain(
    'REQUIRE_SECOND_FACTOR',
    'off',
    'Who must have a second factor when signing in with a password: off, admins (roles with global access) or everyone.',
  ),
  plain(
    'SSO_PROVIDERS',
    null,
    'Single sign-on providers, comma-separated, such as google,github. Each has variables of its own, which begin ' +
      'with its name: see Single sign-on.',
  ),
  plain('NEXT_PUBLIC_NEXTAUTH_PROVIDERS', null, 'Older name of SSO_PROVIDERS, read when that is not set.'),
  plain(
    'SSO_CA',
    null,
    'Certificate authority of the providers, trusted beside the public ones: PEM text or the path of a PEM file.',
  ),
  plain(
    'SSO_ALLOW_HTTP_ISSUERS',
    'false',
    'Whether the issuer of a provider may be http://: for tests alone.',
  ),
  plain(
    'ALLOWED_EMAIL_DOMAINS',
    null,
    'Domains of the e-mail addresses that may have an account, comma-separated, such as example.org; ' +
      '.example.org stands for its subdomains. Empty for any.',
  ),
  plain('ORGANISATION_PLAN', 'enterprise', 'Plan of the organisation: free, pro or enterprise.'),
  plain(
    'RATE_LIMIT_DEFAULT',
    'off',
    'Requests to /v1 and /service/secrets per caller, such as 120/min, or off.',
  ),
  plain('RATE_LIMIT_AUTH', '10/min', 'Sign-in attempts per account and address, such as 3/min, or off.'),
  plain(
    'CACHE_MEGABYTES',
    '64',
    'Memory for what reads have loaded, which is answered again only after the database has confirmed that nothing ' +
      'has changed. 0 switches it off.',
  ),
  plain(
    'AUDIT_RETENTION_DAYS',
    'off',
    'How many days audit entries are kept at least, from 1 to 36500; older ones are deleted once a day. Off: for ever.',
  ),
  plain('LOG_LEVEL', 'info', 'Least severe log lines: trace, debug, info, warn, error, fatal or silent.'),
  secret(
    'DATABASE_URL',
    'PostgreSQL: postgres://user:password@host:5432/database, with ?sslmode= and &sslrootcert= as in libpq. ' +
      'Without it, or the DATABASE_ variables below, serve starts its embedded database.',
  ),
  plain('DATABASE_HOST', null, 'Host name of PostgreSQL, or the directory of its Unix socket.'),
  plain('DATABASE_PORT', '5432', 'Port of PostgreSQL.'),
  plain('DATABASE_NAME', 'keyward', 'Name of the database.'),
  plain('DATABASE_USER', 'keyward', 'User name on PostgreSQL.'),
  secret('DATABASE_PASSWORD', 'Password on PostgreSQL; required with DATABASE_HOST.'),
  plain(
    'DATABASE_SSLMODE',
    null,
    'disable, prefer, require, verify-ca or verify-full: prefer, or verify-full when DATABASE_SSL_CA is set.',
  ),
  plain('DATABASE_SSL_CA', null, 'Certificate authority of PostgreSQL: PEM text or the path of a PEM file.'),
  plain(
    'DATABASE_READ_TIMEOUT_SECONDS',
    '5',
    'How long a read waits for PostgreSQL before it is refused with 503, from 1 to 25.',
  ),
  plain(
    'DATABASE_CHANGE_TIMEOUT_SECONDS',
    '10',
    'How long a change waits for PostgreSQL before it is refused with 503, from 1 to 25.',
  ),
  secret(
    'REDIS_URL',
    'Redis: redis://:password@host:6379/0, or rediss:// for TLS. ' +
      'Without Redis and Upstash, limits are counted in memory.',
  ),
  plain('REDIS_HOST', null, 'Host name of Redis, instead of REDIS_URL.'),
  plain('REDIS_PORT', '6379', 'Port of Redis.'),
  plain('REDIS_USERNAME', null, 'User name on Redis; needs REDIS_PASSWORD.'),
  secret('REDIS_PASSWORD', 'Password on Redis.'),
  plain('REDIS_DATABASE', '0', 'Number of the Redis database.'),
  plain('REDIS_TLS', 'false', 'Whether to reach REDIS_HOST over TLS.'),
  plain('REDIS_TLS_CA', null, 'Certificate authority of Redis: PEM text or the path of a PEM file.'),
  plain('UPSTASH_REDIS_REST_URL', null, 'REST address of an Upstash Redis, instead of Redis.'),
  secret('UPSTASH_REDIS_REST_TOKEN', 'Token of the Upstash Redis.'),
  plain('SMTP_HOST', null, 'Host name of the mail gateway; without it no mail is sent.'),
  plain(
    'SMTP_PORT',
    null,
    'Port of the mail gateway: 587, or 465 with SMTP_TLS=tls, or 25 with SMTP_TLS=none.',
  ),
  plain('SMTP_USER', null, 'User name on the mail gateway; needs SMTP_PASSWORD.'),
  secret('SMTP_PASSWORD', 'Password on the mail gateway; needs SMTP_USER.'),
  plain('SMTP_FROM', null, 'E-mail address that mail is sent from; required with SMTP_HOST.'),
  plain('SMTP_FROM_NAME', 'Keyward', 'Name that is shown as the sender, beside SMTP_FROM.'),
  plain('MAIL_SUBJECT_PREFIX', null, 'Text before the subject of every mail, such as [Keyward].'),
  plain('SMTP_TLS', 'starttls', 'starttls, tls or none.'),
  plain('SMTP_CA', null, 'Certificate authority of the mail gateway: PEM text or the path of a PEM file.'),
  plain(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    null,
    'OpenTelemetry collector that traces are sent to by OTLP over HTTP, such as http://collector:4318; ' +
      'without it there are no traces.',
  ),
  plain(
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    null,
    'The same for traces alone: the whole address, such as http://collector:4318/v1/traces.',
  ),
  secret(
    'OTEL_EXPORTER_OTLP_HEADERS',
    'Headers for the collector: name=value, comma-separated, percent-encoded.',
  ),
  plain(
    'OTEL_EXPORTER_OTLP_CERTIFICATE',
    null,
    'Certificate authority of the collector: PEM text or the path of a PEM file.',
  ),
  plain(
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'http/protobuf',
    'How traces are sent: http/protobuf and nothing else.',
  ),
  plain('OTEL_TRACES_EXPORTER', 'otlp', 'none sends no traces.'),
  plain('OTEL_SDK_DISABLED', 'false', 'true sends no traces.'),
  plain(
    'OTEL_SERVICE_NAME',
    null,
    'Name of the process in traces: keyward, keyward-backend, keyward-worker or keyward-frontend.',
  ),
  plain(
    'OTEL_RESOURCE_ATTRIBUTES',
    null,
    'What else traces say of the process: name=value, comma-separated, percent-encoded.',
  ),
  plain(
    'OTEL_TRACES_SAMPLER',
    'parentbased_always_on',
    'Which requests and jobs are traced: always_on, always_off or traceidratio, each also with parentbased_ before it, ' +
      'which leaves the decision to a trusted proxy that sends a traceparent.',
  ),
  plain('OTEL_TRACES_SAMPLER_ARG', '1', 'Share that is traced with traceidratio, from 0 to 1.'),
] as const satisfies readonly Row[]

/** A variable of the table. */
export type VariableName = (typeof CONFIGURATION)[number]['name']

/** A variable of the table whose value must never be printed. */
export type SecretName = Extract<(typeof CONFIGURATION)[number], { secret: true }>['name']

function plain<const N extends string, const D extends string | null>(
  name: N,
  defaultValue: D,
  meaning: string,
) {
  return { name, default: defaultValue, meaning, secret: false } as const
}

function secret<const N extends string>(name: N, meaning: string) {
  return { name, default: null, meaning, secret: true } as const
}
