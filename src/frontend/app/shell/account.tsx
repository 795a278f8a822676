import { Link } from '@tanstack/react-router'
import type { Viewer } from '../api/me.ts'
import { leave } from '../api/session.ts'
import { useAct } from '../components/act.ts'
import { ErrorText } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { Avatar } from '../components/pieces.tsx'
import { switchTheme } from './theme.ts'

const MENU = 'account'

/** Who is signed in, with the way to the profile and out. The browser itself opens and closes it. */
export function Account({ viewer }: { viewer: Viewer }) {
  const close = () => document.getElementById(MENU)?.hidePopover()
  const { problem, run } = useAct()
  return (
    <div className="me">
      <button type="button" className="me-button" popoverTarget={MENU} aria-haspopup="true">
        <Avatar name={viewer.name} />
        <span>
          {viewer.name}
          <br />
          <span className="small dim">{viewer.role.name}</span>
        </span>
      </button>
      <div className="menu account-menu" id={MENU} popover="auto">
        <Link
          className="menu-item plain"
          to="/settings/$section"
          params={{ section: 'profile' }}
          onClick={close}
        >
          <Icon name="sliders" />
          Your profile
        </Link>
        <button type="button" className="menu-item" onClick={() => run(leave)}>
          <Icon name="out" />
          Sign out
        </button>
        {problem !== null && <ErrorText>You are still signed in. {problem}</ErrorText>}
      </div>
      <button
        type="button"
        className="btn quiet icon push"
        aria-label="Switch between light and dark"
        onClick={switchTheme}
      >
        <Icon name="theme" />
      </button>
    </div>
  )
}
