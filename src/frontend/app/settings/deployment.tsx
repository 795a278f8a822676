import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { isLoopback, LoopbackNote } from '../components/loopback.tsx'
import { consoleConfigQuery } from '../shell/console-config.ts'
import { methodsQuery } from '../sign-in/methods.ts'
import { BackUp } from './back-up.tsx'
import { readinessQuery } from './queries.ts'
import { Section } from './section.tsx'

/** What whoever runs Keyward has set: how people sign in, and the version. */
export function Deployment() {
  const { data: methods } = useSuspenseQuery(methodsQuery)
  const { data: config } = useSuspenseQuery(consoleConfigQuery)
  const { data: readiness } = useQuery(readinessQuery)
  const providers = methods.providers.map(({ name }) => name)
  return (
    <>
      <Section
        title="Sign-in methods"
        text="Set in the configuration of this deployment, by whoever runs it."
      >
        <dl className="pair">
          <dt>Password</dt>
          <dd>{methods.password ? 'On' : 'Off'}</dd>
          <dt>Single sign-on</dt>
          <dd>{providers.length === 0 ? 'No provider that can be reached' : providers.join(', ')}</dd>
          <dt>Passkeys</dt>
          <dd>Always on</dd>
          <dt>Mail</dt>
          <dd>
            {methods.mail
              ? 'Invites and links are mailed.'
              : 'No gateway: links of invites are handed over, and forgotten passwords are reset by whoever runs Keyward.'}
          </dd>
        </dl>
      </Section>
      <Section title="Address">
        {isLoopback(location.hostname) ? (
          <LoopbackNote what="This Keyward" />
        ) : (
          <dl className="pair">
            <dt>Open here at</dt>
            <dd>{location.origin}</dd>
          </dl>
        )}
      </Section>
      <BackUp />
      <Section title="Version and health">
        <dl className="pair">
          <dt>Version</dt>
          <dd className="num">{config.version}</dd>
          <dt>Health</dt>
          <dd>
            {readiness === undefined
              ? 'Being asked'
              : readiness.isReady
                ? 'Ready: database and schema are as they must be.'
                : `Not ready: ${readiness.body.error ?? 'the server gives no reason.'}`}
          </dd>
          <dt>API</dt>
          <dd>
            <a href="/swagger">All routes, to read and to try</a>
          </dd>
        </dl>
      </Section>
    </>
  )
}
