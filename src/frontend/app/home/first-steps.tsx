import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { can } from '../api/me.ts'
import { Button, ButtonLink } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { countQuery } from '../shell/counts.ts'
import { useViewer } from '../shell/viewer.ts'
import { attentionQuery } from './queries.ts'

/** An organisation of more people has begun. */
const MOST_PEOPLE = 3
const KEY = 'keyward.first-steps'

/**
 * Leads through an organisation that is new: an app, a person, what that person can open, and what must be kept. The steps
 * stay until the reader hides them, or the organisation has grown.
 */
export function FirstSteps() {
  const viewer = useViewer()
  const mayBegin = can(viewer, 'create', 'Apps') && can(viewer, 'create', 'Members')
  const [isHidden, setHidden] = useState(() => localStorage.getItem(KEY) === 'hidden')
  const { data: apps } = useQuery({ ...countQuery('apps'), enabled: mayBegin })
  const { data: members } = useQuery({ ...countQuery('members'), enabled: mayBegin })
  const { data: attention } = useQuery({ ...attentionQuery, enabled: mayBegin })
  if (!mayBegin || isHidden || apps === undefined || members === undefined) return null
  if ((members ?? 0) > MOST_PEOPLE) return null
  const hasApp = (apps ?? 1) > 0
  const hasPeople = (members ?? 2) > 1
  const hide = () => {
    localStorage.setItem(KEY, 'hidden')
    setHidden(true)
  }
  return (
    <section className="first-steps" aria-labelledby="first-steps">
      <div className="row">
        <h2 id="first-steps">First steps</h2>
        <Button kind="quiet" size="sm" className="push" onClick={hide}>
          Hide these steps
        </Button>
      </div>
      <ol>
        <Step
          done={hasApp}
          what="Make an app"
          why="It holds secrets, in environments such as Staging."
          act="New app"
          to="/apps/new"
        />
        <Step
          done={hasPeople}
          what="Invite somebody"
          why="A role says what they may do."
          act="Invite"
          to="/members/invites"
          hash="new"
        />
        <Step
          done={hasPeople && attention?.membersWithoutAccess?.total === 0}
          what="Give them access"
          why="When they have joined: on their page, which environments they can open."
          act="Members"
          to="/members"
          later={!hasPeople}
        />
        <Step
          done={false}
          what="Save the server secret and the database"
          why="Without the server secret no secret can be opened again."
          act="Back up"
          to="/settings/deployment"
          hash="back-up"
        />
      </ol>
    </section>
  )
}

function Step({
  done,
  what,
  why,
  act,
  to,
  hash,
  later = false,
}: {
  done: boolean
  what: string
  why: string
  act: string
  to: string
  hash?: string
  later?: boolean
}) {
  return (
    <li>
      <Icon name={done ? 'check' : 'right'} />
      <span>
        <b>{what}</b>
        {done && <span className="vh"> (done)</span>}
        <br />
        <span className="small dim">{why}</span>
      </span>
      {!done && !later && (
        <ButtonLink size="sm" to={to} {...(hash !== undefined && { hash })} className="push">
          {act}
        </ButtonLink>
      )}
    </li>
  )
}
