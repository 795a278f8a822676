import { CopyField } from '../components/copy-field.tsx'
import { Section } from './section.tsx'

/** What to keep of a deployment, and how; whoever runs it does that outside of the console. */
export const BackUp = () => (
  <Section
    id="back-up"
    title="Back up"
    text="Keep two things: the database, and apart from it SERVER_SECRET. Without SERVER_SECRET no environment’s keys can be opened again, and Keyward refuses to start."
  >
    <dl className="pair">
      <dt>Embedded database</dt>
      <dd>
        Stop Keyward, and copy its data directory: <code>./data</code>, <code>/data</code> in a container, or
        what <code>KEYWARD_DATA</code> names. It holds the database and, under <code>secrets/</code>, the
        generated secrets: whoever has the copy can open everything. To restore, put it back.
        <div className="mt-2 max-w-[68ch]">
          <CopyField label="The command that copies the data directory" text="cp -a ./data ./data-backup" />
        </div>
      </dd>
      <dt>Your own PostgreSQL</dt>
      <dd>
        <code>pg_dump</code>, while Keyward runs. The secrets are where you set them, not in the database.
      </dd>
      <dt>SECRET_KEY</dt>
      <dd>Keep it too: a new one voids pending invites and other links.</dd>
      <dt>More</dt>
      <dd>
        “Back up and restore” in <code>docs/operations.md</code>; on a cluster, “Back up” in{' '}
        <code>docs/kubernetes.md</code>.
      </dd>
    </dl>
  </Section>
)
