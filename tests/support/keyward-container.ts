import {
  AbstractStartedContainer,
  GenericContainer,
  getContainerRuntimeClient,
  type StartedTestContainer,
  Wait,
} from 'testcontainers'

const PORT = 8080

/** What the organisation may use: `free` has no custom roles, for one. */
export type KeywardPlan = 'free' | 'pro' | 'enterprise'

/** The first account of a deployment. */
export type KeywardOwner = { email: string; password: string; organisation: string }

/**
 * A Keyward for the integration tests of programs that use its API, with a database of its own inside:
 *
 * ```ts
 * const keyward = await new KeywardContainer('keyward:0.1.0').withPlan('pro').start()
 * const token = await keyward.createOwner()
 * const roles = await fetch(`${keyward.getBaseUrl()}/v1/roles/`, { headers: { authorization: `Bearer ${token}` } })
 * await keyward.stop()
 * ```
 *
 * Any variable of Keyward's configuration can be given by `withEnvironment`, and another role by `withCommand`. Its
 * root file system is read-only, and it has no capabilities, as on a cluster.
 */
export class KeywardContainer extends GenericContainer {
  private passwordAuth = true

  constructor(image: string) {
    super(image)
    this.withExposedPorts(PORT)
      .withWaitStrategy(Wait.forHttp('/service/ready/', PORT).forStatusCode(200))
      .withStartupTimeout(60_000)
      .withTmpFs({ '/tmp': 'rw,noexec' })
      .withDroppedCapabilities('ALL')
      .withSecurityOpt('no-new-privileges')
    this.hostConfig.ReadonlyRootfs = true
  }

  /** The plan of the organisation; `enterprise` unless it is set. */
  withPlan(plan: KeywardPlan): this {
    return this.withEnvironment({ ORGANISATION_PLAN: plan })
  }

  /** Whether people can register and sign in with a password, which they can unless it is set. */
  withPasswordAuth(enabled = true): this {
    this.passwordAuth = enabled
    return this.withEnvironment({ ENABLE_PASSWORD_AUTH: String(enabled) })
  }

  override async start(): Promise<StartedKeywardContainer> {
    const { SETUP_TOKEN } = this.environment
    return new StartedKeywardContainer(await super.start(), this.passwordAuth, SETUP_TOKEN)
  }

  /** Where Docker runs on another machine, requests name that one. */
  protected override async beforeContainerCreated(): Promise<void> {
    if (this.environment.HOST !== undefined || this.environment.ALLOWED_HOSTS !== undefined) return
    const client = await getContainerRuntimeClient()
    this.withEnvironment({ ALLOWED_HOSTS: `localhost,${client.info.containerRuntime.host}` })
  }
}

/** A Keyward that runs and is ready. */
export class StartedKeywardContainer extends AbstractStartedContainer {
  constructor(
    container: StartedTestContainer,
    private readonly passwordAuth: boolean,
    private readonly setupToken: string | undefined,
  ) {
    super(container)
  }

  /** Where its API is, such as http://localhost:32768, without a slash at the end. */
  getBaseUrl(): string {
    return `http://${this.getHost()}:${this.getMappedPort(PORT)}`
  }

  /**
   * Founds the organisation with its first account, and gives a personal access token of it that does not expire.
   * Once per deployment: afterwards somebody else would have to invite. It takes password authentication.
   */
  async createOwner(owner: Partial<KeywardOwner> = {}): Promise<string> {
    if (!this.passwordAuth) throw new Error('createOwner takes password authentication: leave it on.')
    const { email = 'owner@example.org', password = 'correct horse battery', organisation = 'Test' } = owner
    const account = { email, password }
    await this.post('/service/auth/password/register/', {
      ...account,
      organisation_name: organisation,
      ...(this.setupToken && { setup_token: this.setupToken }),
    })
    const session = await this.post('/service/auth/password/login/', account)
    const created = await this.post('/v1/tokens/', { name: 'createOwner' }, session.accessToken)
    return String(created.token)
  }

  private async post(path: string, body: object, bearer?: unknown): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.getBaseUrl()}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      },
      body: JSON.stringify(body),
    })
    if (response.ok) return (await response.json()) as Record<string, unknown>
    throw new Error(`Keyward answers ${response.status} to POST ${path}: ${await response.text()}`)
  }
}
