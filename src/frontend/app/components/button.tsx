import { Link, type LinkProps } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'
import { keyName } from './keys.ts'

type Look = {
  /** `primary` for the one act that a view is for; `danger` for what can't be undone. */
  kind?: 'plain' | 'primary' | 'danger' | 'danger-quiet' | 'quiet'
  size?: 'sm' | 'md' | 'lg'
  icon?: IconName
  /** The key that does the same, shown in the button. */
  hint?: string
}

type ButtonProps = Omit<ComponentProps<'button'>, 'disabled'> &
  Look & {
    /** Why the button can't be used here and now, a sentence: it stays focusable, and the reason is read out. */
    disabledBecause?: string | null | undefined
    busy?: boolean
    /** An icon alone; `aria-label` says what it does. */
    iconOnly?: boolean
  }

/** A button whose label names its act. Busy or disabled, it keeps its label, its width and the focus. */
export function Button({
  kind = 'plain',
  size = 'md',
  icon,
  hint,
  disabledBecause = null,
  busy = false,
  iconOnly = false,
  className = '',
  children,
  onClick,
  type = 'button',
  title,
  ...rest
}: ButtonProps) {
  const isOff = busy || disabledBecause !== null
  return (
    <button
      {...rest}
      type={type}
      className={`${classOf(kind, size, iconOnly)} ${className}`}
      aria-disabled={isOff || undefined}
      aria-busy={busy || undefined}
      aria-description={disabledBecause ?? undefined}
      title={disabledBecause ?? title}
      onClick={(event) => (isOff ? event.preventDefault() : onClick?.(event))}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
      {hint !== undefined && <Key>{hint}</Key>}
    </button>
  )
}

type ButtonLinkProps = Look & { children: ReactNode; className?: string; iconOnly?: boolean } & LinkProps & {
    'aria-label'?: string
  }

/** A link that looks like a button: it leads to another page. */
export function ButtonLink({
  kind = 'plain',
  size = 'md',
  icon,
  hint,
  iconOnly = false,
  children,
  className = '',
  ...link
}: ButtonLinkProps) {
  return (
    <Link {...link} className={`${classOf(kind, size, iconOnly)} ${className}`}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
      {hint !== undefined && <Key>{hint}</Key>}
    </Link>
  )
}

/** A key of the keyboard; ⌘ stands for Ctrl where there is none. */
export const Key = ({ children }: { children: string }) => <kbd aria-hidden="true">{keyName(children)}</kbd>

function classOf(
  kind: NonNullable<Look['kind']>,
  size: NonNullable<Look['size']>,
  iconOnly: boolean,
): string {
  return ['btn', kind === 'plain' ? '' : kind, size === 'md' ? '' : size, iconOnly ? 'icon' : '']
    .filter(Boolean)
    .join(' ')
}
