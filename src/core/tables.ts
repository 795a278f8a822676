// Generated from the migrated schema by tests/core/tables.test.ts.

type Tables = {
  apps: Readonly<{
    id: string
    organisation_id: string
    name: string
    name_key: string
    description: string | null
    created_at: Date
    updated_at: Date
    sse_enabled: boolean
  }>
  audit_access_changes: Readonly<{
    environment_id: string
    timestamp: Date
    entry_id: string
    actor_id: string | null
    resource_id: string | null
    by_user: boolean
    of_member: boolean
  }>
  audit_entries: Readonly<{
    id: string
    organisation_id: string
    event_type: string
    resource_type: string
    resource_id: string | null
    app_id: string | null
    environment_id: string | null
    actor_type: 'user' | 'service_account' | 'operator'
    actor_id: string | null
    actor_metadata: unknown
    resource_metadata: unknown
    old_values: unknown
    new_values: unknown
    description: string
    ip_address: string | null
    user_agent: string | null
    request_id: string | null
    count: number
    coalesce_key: Uint8Array | null
    timestamp: Date
  }>
  deleted_environments: Readonly<{
    id: string
  }>
  deployment: Readonly<{
    singleton: boolean
    organisation_id: string | null
    server_key_id: string | null
  }>
  email_links: Readonly<{
    id: string
    user_id: string
    purpose: 'verify-email' | 'reset-password'
    nonce: Uint8Array
    created_at: Date
    expires_at: Date
    used_at: Date | null
    by_operator: boolean
    removes_factors: boolean
  }>
  environment_keys: Readonly<{
    organisation_id: string
    principal_id: string
    app_id: string
    environment_id: string
    wrapped_seed: string
    wrapped_salt: string
    created_at: Date
  }>
  environments: Readonly<{
    id: string
    organisation_id: string
    app_id: string
    name: string
    name_key: string
    env_type: 'dev' | 'staging' | 'prod' | 'custom'
    index: number
    public_key: string
    wrapped_seed: string
    wrapped_salt: string
    created_at: Date
    updated_at: Date
    secrets_changed_at: Date | null
    versions_bytes: string | null
  }>
  grants: Readonly<{
    organisation_id: string
    principal_id: string
    app_id: string
    environment_id: string
    created_at: Date
  }>
  invites: Readonly<{
    id: string
    organisation_id: string
    email: string
    email_key: string
    role_id: string | null
    role_kind: string | null
    state: 'pending' | 'accepted' | 'cancelled' | 'expired'
    nonce: Uint8Array
    invited_by: string | null
    created_at: Date
    expires_at: Date
    closed_at: Date | null
    share_of: string | null
  }>
  members: Readonly<{
    id: string
    organisation_id: string
    user_id: string
    role_name: string | null
    created_at: Date
    updated_at: Date
    removed_at: Date | null
    principal_id: string | null
    principal_type: string
    last_seen_at: Date
    share_of: string | null
  }>
  organisations: Readonly<{
    id: string
    name: string
    created_at: Date
    updated_at: Date
  }>
  passkeys: Readonly<{
    id: string
    user_id: string
    rp_id: string
    credential_id: Uint8Array
    public_key: Uint8Array
    counter: string
    transports: string[]
    name: string
    created_at: Date
    last_used_at: Date | null
  }>
  principals: Readonly<{
    id: string
    organisation_id: string
    type: 'member' | 'service_account'
    role_id: string
    role_kind: string
    identity_key: string
    wrapped_private_key: string
  }>
  recovery_codes: Readonly<{
    user_id: string
    hash: Uint8Array
  }>
  roles: Readonly<{
    id: string
    organisation_id: string
    kind: 'owner' | 'admin' | 'manager' | 'developer' | 'service' | 'custom'
    position: number
    name: string
    name_key: string
    description: string | null
    color: string
    permissions: unknown
    created_at: Date
    updated_at: Date
  }>
  schema_floor: Readonly<{
    singleton: boolean
    floor: number
  }>
  second_factor_tickets: Readonly<{
    hash: Uint8Array
    user_id: string
    browser_hash: Uint8Array
    password_digest: Uint8Array
    guesses: number
    created_at: Date
    expires_at: Date
  }>
  secret_overrides: Readonly<{
    secret_id: string
    principal_id: string
    organisation_id: string
    environment_id: string
    principal_type: string
    id: string
    value: string
    is_active: boolean
    created_at: Date
    updated_at: Date
  }>
  secret_versions: Readonly<{
    secret_id: string
    version: number
    organisation_id: string
    app_id: string
    environment_id: string
    event: 'created' | 'updated' | 'deleted' | 'restored'
    path: string
    key: string
    key_digest: Uint8Array
    value: string
    comment: string
    tags: string[]
    type: 'secret' | 'sealed' | 'config'
    expires_at: Date | null
    actor_type: 'user' | 'service_account'
    actor_id: string
    actor_name: string
    created_at: Date
  }>
  secrets: Readonly<{
    id: string
    organisation_id: string
    app_id: string
    environment_id: string
    path: string
    key: string
    key_digest: Uint8Array
    value: string
    comment: string
    tags: string[]
    type: 'secret' | 'sealed' | 'config'
    version: number
    expires_at: Date | null
    created_at: Date
    updated_at: Date
    reminded_expiry: Date | null
  }>
  service_accounts: Readonly<{
    id: string
    organisation_id: string
    name: string
    principal_type: string
    created_at: Date
    updated_at: Date
    name_key: string
  }>
  session_tokens: Readonly<{
    hash: Uint8Array
    session_id: string
    expires_at: Date
  }>
  sessions: Readonly<{
    id: string
    user_id: string
    cookie_hash: Uint8Array
    ip_address: string | null
    user_agent: string | null
    created_at: Date
    last_used_at: Date
    expires_at: Date
    method: 'password' | 'passkey' | 'sso'
  }>
  sign_in_attempts: Readonly<{
    key: string
    window_start: Date
    expires_at: Date
    count: number
  }>
  sso_identities: Readonly<{
    id: string
    user_id: string
    provider: string
    issuer: string
    subject: string
    created_at: Date
  }>
  sso_used_states: Readonly<{
    hash: Uint8Array
    expires_at: Date
  }>
  state_changes: Readonly<{
    transaction: string
  }>
  state_version: Readonly<{
    singleton: boolean
    version: string
  }>
  tokens: Readonly<{
    id: string
    organisation_id: string
    principal_id: string
    name: string
    hash: Uint8Array
    created_at: Date
    expires_at: Date | null
    last_used_at: Date | null
    created_by: string | null
    created_by_name: string | null
    format: 'keyward' | 'phase'
    wrapped_key_share: string | null
    responsible_id: string | null
    branch_id: string | null
  }>
  totp_secrets: Readonly<{
    user_id: string
    wrapped_secret: string
    last_step: number | null
    created_at: Date
    confirmed_at: Date | null
  }>
  used_challenges: Readonly<{
    hash: Uint8Array
    expires_at: Date
  }>
  users: Readonly<{
    id: string
    email: string
    email_key: string
    full_name: string
    password_hash: string | null
    email_verified_at: Date | null
    verification_required: boolean
    created_at: Date
    updated_at: Date
    link_allowed_until: Date | null
    name_key: string
    sort_name: string
  }>
}

/** These columns of a table's row, as they are read. */
export type Row<Table extends keyof Tables, Column extends keyof Tables[Table]> = Pick<Tables[Table], Column>
