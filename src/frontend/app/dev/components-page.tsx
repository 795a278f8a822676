import { type ReactNode, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Cell, type CellState, Check, NoCell, Radio } from '../components/cell.tsx'
import { ChangeBar } from '../components/change-bar.tsx'
import { CopyField } from '../components/copy-field.tsx'
import { DateTime } from '../components/date-time.tsx'
import { ConfirmDialog } from '../components/dialog.tsx'
import { Field, Input, SearchInput } from '../components/field.tsx'
import { Filter, SortHead } from '../components/filters.tsx'
import { MoreMenu } from '../components/menu.tsx'
import { PageHead, Segments } from '../components/page-head.tsx'
import {
  Avatar,
  Badge,
  Banner,
  Empty,
  LoadMore,
  RoleName,
  SkeletonTable,
  Tag,
} from '../components/pieces.tsx'
import { Select } from '../components/select.tsx'
import { useToast } from '../components/toast.tsx'

const WHY = 'Only an Admin or the Owner can change an Admin.'

const CELLS: readonly CellState[] = [
  'open',
  'closed',
  'added',
  'removed',
  'by-role',
  'locked',
  'locked-open',
  'mixed',
]

/** Every component of the console in each of its states. */
export function ComponentsPage() {
  return (
    <>
      <PageHead
        title="Components"
        text="Each in its states. Switch the theme, narrow the window, use the keyboard."
      />
      <Buttons />
      <Fields />
      <Cells />
      <Choices />
      <Pieces />
      <Lists />
      <Floating />
    </>
  )
}

const Part = ({ name, children }: { name: string; children: ReactNode }) => (
  <section className="section">
    <h2>{name}</h2>
    <div className="stack mt-3">{children}</div>
  </section>
)

function Buttons() {
  return (
    <Part name="Button">
      <div className="row">
        {(['plain', 'primary', 'danger', 'danger-quiet', 'quiet'] as const).map((kind) => (
          <Button key={kind} kind={kind} icon="plus">
            {kind}
          </Button>
        ))}
        <Button hint="N">With a key</Button>
        <Button size="sm">Small</Button>
        <Button busy>Busy</Button>
        <Button disabledBecause={WHY}>Not here and now</Button>
        <Button iconOnly kind="quiet" icon="dots" aria-label="More" />
      </div>
    </Part>
  )
}

function Fields() {
  return (
    <Part name="Field">
      <div className="form">
        <Field label="Name" hint="Letters, digits, hyphens and underscores.">
          <Input defaultValue="Staging" />
        </Field>
        <Field label="Name" error="There is an app of this name already.">
          <Input defaultValue="Ledger" />
        </Field>
        <SearchInput label="Name or e-mail" />
      </div>
    </Part>
  )
}

function Cells() {
  return (
    <Part name="Access cell, check box, radio button">
      <p className="key">
        {CELLS.map((state) => (
          <span key={state}>
            <Cell state={state} label={`Ledger, Staging (${state})`} onToggle={() => {}} /> {state}
          </span>
        ))}
        <span>
          <NoCell /> no such environment
        </span>
      </p>
      <div className="row">
        <Check aria-label="On" defaultChecked />
        <Check aria-label="Off" />
        <Check aria-label="Mixed" mixed />
        <Check aria-label="Disabled" disabled />
        <Radio aria-label="Chosen" name="radio" defaultChecked />
        <Radio aria-label="Not chosen" name="radio" />
      </div>
    </Part>
  )
}

function Choices() {
  const [role, setRole] = useState('developer')
  const [view, setView] = useState('all')
  const [filter, setFilter] = useState<string | null>('Developer')
  const options = [
    { value: 'admin', label: <RoleName name="Admin" />, disabledBecause: WHY },
    {
      value: 'developer',
      label: <RoleName name="Developer" />,
      meaning: 'Works with secrets where access was given.',
    },
    { value: 'release', label: <RoleName name="Release manager" color="#a8662a" />, meaning: 'Custom.' },
  ]
  return (
    <Part name="Select, segments, filter, menu">
      <div className="row">
        <Select label="Role" value={role} options={options} onChange={setRole} />
        <Select label="Role in a table" bare value={role} options={options} onChange={setRole} />
        <Select label="Fixed role" value={role} options={options} onChange={setRole} disabledBecause={WHY} />
        <Segments
          label="Shown"
          value={view}
          onChange={setView}
          options={[
            { value: 'all', label: 'All', count: 12 },
            { value: 'missing', label: 'Missing', count: 2 },
          ]}
        />
        <Filter
          label="Role"
          chosen={filter}
          onChange={setFilter}
          options={[{ value: 'Developer', label: 'Developer' }]}
        />
        <MoreMenu
          label="More"
          entries={[
            { label: 'Rename', icon: 'pencil', onClick: () => {} },
            { label: 'Delete', icon: 'trash', danger: true, onClick: () => {} },
            { label: 'Transfer', disabledBecause: WHY, onClick: () => {} },
          ]}
        />
      </div>
    </Part>
  )
}

function Pieces() {
  return (
    <Part name="Badge, tag, avatar, banner, copy, date">
      <div className="row">
        <Badge>custom</Badge> <Badge tone="add">new</Badge> <Badge tone="remove">refused</Badge>{' '}
        <Badge tone="warn">expires</Badge> <Badge tone="accent">yours</Badge> <Tag>db</Tag>
        <Avatar name="Ana Duarte" /> <Avatar name="deploy" machine /> <Avatar name="Ana Duarte" large />
        <DateTime at={new Date(Date.now() - 240_000).toISOString()} /> <DateTime at={null} />
      </div>
      <Banner>The Admin role opens every app and environment.</Banner>
      <CopyField label="Token" text="kw_pat_example" />
    </Part>
  )
}

function Lists() {
  const [sort, setSort] = useState('name')
  return (
    <Part name="List, skeleton, empty, load more">
      <table className="list">
        <caption className="vh">An example</caption>
        <thead>
          <tr>
            <SortHead label="Name" field="name" sort={sort} onSort={setSort} />
            <SortHead label="Created" field="created_at" sort={sort} onSort={setSort} />
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Ledger</th>
            <td>3 Mar 2025</td>
          </tr>
        </tbody>
      </table>
      <LoadMore left={23} busy={false} onClick={() => {}} note="Sorted by name" />
      <SkeletonTable />
      <Empty title="There is no app that you can open" act={<Button kind="primary">New app</Button>}>
        An app holds the secrets of one thing that you run.
      </Empty>
    </Part>
  )
}

function Floating() {
  const toast = useToast()
  const [isOpen, setOpen] = useState(false)
  return (
    <Part name="Toast, dialog, change bar">
      <div className="row">
        <Button
          onClick={() => toast('Kwame Boateng is a Manager now.', { label: 'Undo', onClick: () => {} })}
        >
          Show a toast
        </Button>
        <Button onClick={() => setOpen(true)}>Open a dialog</Button>
      </div>
      <ConfirmDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Remove Ana Duarte?"
        text="Her tokens stop at the next request."
        act="Remove Ana Duarte"
        onConfirm={() => Promise.reject(new Error('The API refused this, with this sentence.'))}
      />
      <ChangeBar
        sentence={
          <>
            Ana gains <ins>Staging of Ledger</ins>.
          </>
        }
        consequence="1 change."
        busy={false}
        onApply={() => {}}
        onDiscard={() => {}}
      />
    </Part>
  )
}
