import type { Entry } from '../../../core/audit/entry.ts'
import { ButtonLink } from '../components/button.tsx'
import { CopyButton } from '../components/copy-field.tsx'
import { exactTime } from '../components/date-time.tsx'
import { Badge } from '../components/pieces.tsx'
import { Head } from '../components/table.tsx'
import { browserOf } from '../components/user-agent.ts'
import { type Change, changesIn, isAccess } from './changes.ts'
import { type NameOf, textIn } from './facts.ts'
import { isRefused } from './sentences.ts'
import { linkOf } from './thing-link.ts'

/** An open entry: what was different before and after, and from where, with which role and when it was done. */
export function EntryDetails({ entry, nameOf }: { entry: Entry; nameOf: NameOf }) {
  const { changes, more } = changesIn(entry, nameOf)
  const link = linkOf(entry)
  return (
    <div className="entry-more">
      {changes.length > 0 && <BeforeAndAfter changes={changes} more={more} access={isAccess(entry)} />}
      <Circumstances entry={entry} />
      <div className="row">
        {link !== null && (
          <ButtonLink size="sm" to={link.to} params={link.params as never}>
            {link.label}
          </ButtonLink>
        )}
        <CopyButton
          className="btn sm"
          what="this entry as JSON"
          label="Copy as JSON"
          text={JSON.stringify(entry, null, 2)}
        />
        {entry.actorId !== null && (
          <ButtonLink kind="quiet" size="sm" to="/audit" search={{ actor: entry.actorId }}>
            All by {textIn(entry.actorMetadata, 'name') || 'this actor'}
          </ButtonLink>
        )}
        {entry.resourceId !== null && (
          <ButtonLink kind="quiet" size="sm" to="/audit" search={{ thing: entry.resourceId }}>
            All about this
          </ButtonLink>
        )}
      </div>
    </div>
  )
}

function BeforeAndAfter({
  changes,
  more,
  access,
}: {
  changes: readonly Change[]
  more: number
  access: boolean
}) {
  return (
    <div>
      <table className="before-after">
        <caption className="vh">Before and after</caption>
        <thead>
          <tr>
            <th scope="col">{access ? 'App, environment' : 'What'}</th>
            <Head>Before</Head>
            <Head>After</Head>
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => (
            <tr key={change.what}>
              <th scope="row">{change.what}</th>
              <td>
                {change.before === 'open' && access ? (
                  <Badge tone="remove">open</Badge>
                ) : (
                  <Value text={change.before} quiet={access} />
                )}
              </td>
              <td>
                {change.after === 'open' && access ? (
                  <Badge tone="add">open</Badge>
                ) : (
                  <Value text={change.after} quiet={access} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <p className="small dim">And {more} more, in the entry as JSON.</p>}
    </div>
  )
}

const Value = ({ text, quiet }: { text: string | null; quiet: boolean }) =>
  text === null ? (
    <span className="faint">none</span>
  ) : (
    <span className={quiet ? 'faint' : undefined}>{text}</span>
  )

function Circumstances({ entry }: { entry: Entry }) {
  const { actorMetadata, ipAddress, userAgent, requestId, count } = entry
  const role = textIn(actorMetadata, 'role')
  const command = textIn(actorMetadata, 'by')
  return (
    <dl className="pair small">
      {isRefused(entry) && <Fact name="Reason">{entry.description}</Fact>}
      {count > 1 && <Fact name="Times">{count} within a minute</Fact>}
      <Fact name="When">{exactTime(entry.timestamp)}</Fact>
      {ipAddress !== null && (
        <Fact name="From">
          <span className="mono">{ipAddress}</span>
          {userAgent !== null && `, ${browserOf(userAgent)}`}
        </Fact>
      )}
      {role !== null && <Fact name="Role then">{role}</Fact>}
      {command !== null && <Fact name="Command">{command}</Fact>}
      <Fact name="Event">
        <span className="mono">{entry.eventType}</span>
      </Fact>
      {requestId !== null && (
        <Fact name="Request">
          <span className="mono">{requestId}</span>
        </Fact>
      )}
    </dl>
  )
}

const Fact = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd className="num wrap-anywhere">{children}</dd>
  </>
)
