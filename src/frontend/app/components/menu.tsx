import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement } from 'react'
import { Icon, type IconName } from './icon.tsx'

/** One act of a menu; false is left out. */
export type MenuEntry =
  | {
      label: string
      icon?: IconName
      onClick: () => void
      danger?: boolean
      disabledBecause?: string | null
    }
  | false

/** Acts behind one button, which `trigger` is. */
export function Menu({ trigger, entries }: { trigger: ReactElement; entries: readonly MenuEntry[] }) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className="floating" sideOffset={4} align="end">
          <Base.Popup className="menu">
            {entries.map(
              (entry) =>
                entry !== false && (
                  <Base.Item
                    key={entry.label}
                    className={entry.danger ? 'menu-item danger' : 'menu-item'}
                    disabled={(entry.disabledBecause ?? null) !== null}
                    onClick={entry.onClick}
                  >
                    {entry.icon !== undefined && <Icon name={entry.icon} />}
                    <span>
                      {entry.label}
                      {(entry.disabledBecause ?? null) !== null && <small>{entry.disabledBecause}</small>}
                    </span>
                  </Base.Item>
                ),
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/** The button with three dots that opens a menu: `label` says of what. */
export function MoreMenu({ label, entries }: { label: string; entries: readonly MenuEntry[] }) {
  return (
    <Menu
      entries={entries}
      trigger={
        <button type="button" className="btn quiet icon" aria-label={label}>
          <Icon name="dots" />
        </button>
      }
    />
  )
}
