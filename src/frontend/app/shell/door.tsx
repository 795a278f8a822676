import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTitle } from '../components/page-head.tsx'
import { Mark } from '../components/pieces.tsx'
import { consoleConfigQuery } from './console-config.ts'
import { switchTheme } from './theme.ts'

type DoorProps = { title: string; text?: ReactNode; wide?: boolean; children?: ReactNode }

/** A page without the side bar: signing in, the first run, links from mails. */
export function Door({ title, text, wide = false, children }: DoorProps) {
  useTitle(title)
  const { data: config } = useQuery(consoleConfigQuery)
  return (
    <div className={wide ? 'door wide-door' : 'door'}>
      <main id="main">
        <div className="brand">
          <Mark />
          Keyward
        </div>
        <h1>{title}</h1>
        {text !== undefined && <p>{text}</p>}
        {children}
      </main>
      <footer>
        <span>Keyward {config?.version}</span>
        <a href="/swagger">API</a>
        <button type="button" onClick={switchTheme}>
          Light or dark
        </button>
      </footer>
    </div>
  )
}
