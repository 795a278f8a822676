import type { ReactNode } from 'react'

/** Every icon: strokes on a grid of 16, drawn in one hand. */
const ICONS = {
  apps: (
    <>
      <path d="M2.5 2.5h4.5v4.5h-4.5zM9 2.5h4.5v4.5h-4.5zM2.5 9h4.5v4.5h-4.5zM9 9h4.5v4.5h-4.5z" />
    </>
  ),
  check: (
    <>
      <path d="m3.2 8.4 3.2 3.2 6.4-7" />
    </>
  ),
  clock: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 4.8V8l2.2 1.5" />
    </>
  ),
  copy: (
    <>
      <path d="M6 5.5h7.5v8H6zM10 5.5v-3H2.5v8H6" />
    </>
  ),
  dots: (
    <>
      <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2.2" />
    </>
  ),
  down: (
    <>
      <path d="m4.5 6.5 3.5 3.5 3.5-3.5" />
    </>
  ),
  download: (
    <>
      <path d="M8 2.8v7.4M4.6 7 8 10.4 11.4 7M2.8 13.2h10.4" />
    </>
  ),
  eye: (
    <>
      <path d="M1.8 8C3.2 5.4 5.4 4 8 4s4.8 1.4 6.2 4c-1.4 2.6-3.6 4-6.2 4S3.2 10.6 1.8 8z" />
      <circle cx="8" cy="8" r="1.9" />
    </>
  ),
  filter: (
    <>
      <path d="M2.5 3.5h11L9.4 8.4v4.3L6.6 11V8.4z" />
    </>
  ),
  folder: (
    <>
      <path d="M2 4.2h4.4l1.4 1.6H14v7H2z" />
    </>
  ),
  grid: (
    <>
      <path d="M2.5 2.5h11v11h-11zM2.5 6.2h11M2.5 9.9h11M6.2 2.5v11M9.9 2.5v11" />
    </>
  ),
  home: (
    <>
      <path d="M2.5 7.2 8 2.8l5.5 4.4v5.8h-11z" />
      <path d="M6.3 13V9.4h3.4V13" />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 7.4v3.4M8 5.2h.01" />
    </>
  ),
  key: (
    <>
      <circle cx="5.2" cy="10.8" r="2.7" />
      <path d="m7.2 8.8 5.6-5.6M10.6 5.4l2 2" />
    </>
  ),
  link: (
    <>
      <path d="M6.6 9.4 9.4 6.6M7.2 4.6 8.6 3.2a2.9 2.9 0 0 1 4.2 4.2l-1.4 1.4M8.8 11.4l-1.4 1.4a2.9 2.9 0 0 1-4.2-4.2l1.4-1.4" />
    </>
  ),
  lock: (
    <>
      <path d="M3.5 7.2h9v6h-9zM5.5 7.2V5.3a2.5 2.5 0 0 1 5 0v1.9" />
    </>
  ),
  log: (
    <>
      <path d="M5.5 4h8M5.5 8h8M5.5 12h5M2.5 4h.01M2.5 8h.01M2.5 12h.01" />
    </>
  ),
  machine: (
    <>
      <path d="M2.5 3.5h11v7h-11zM6 13.5h4M8 10.5v3M5 6l1.5 1.2L5 8.4" />
    </>
  ),
  mail: (
    <>
      <path d="M2.2 3.8h11.6v8.4H2.2zM2.5 4.3 8 8.8l5.5-4.5" />
    </>
  ),
  menu: (
    <>
      <path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" />
    </>
  ),
  minus: (
    <>
      <path d="M3.2 8h9.6" />
    </>
  ),
  no: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="m4.2 4.2 7.6 7.6" />
    </>
  ),
  out: (
    <>
      <path d="M6.5 2.8H3v10.4h3.5M7 8h6.4M11 5.4 13.6 8 11 10.6" />
    </>
  ),
  passkey: (
    <>
      <circle cx="6" cy="5" r="2.4" />
      <path d="M2 13c.3-2.6 1.9-4 4-4 .7 0 1.4.2 2 .5" />
      <circle cx="11.6" cy="8.6" r="1.8" />
      <path d="M11.6 10.4v3.4l1.2-1" />
    </>
  ),
  pencil: (
    <>
      <path d="m10.6 3 2.4 2.4-7.4 7.4-3 .6.6-3z" />
    </>
  ),
  people: (
    <>
      <circle cx="6" cy="5.4" r="2.4" />
      <path d="M1.8 13c.3-2.5 2-3.9 4.2-3.9s3.9 1.4 4.2 3.9M10.6 3.3a2.3 2.3 0 0 1 0 4.3M12 9.6c1.3.5 2 1.7 2.2 3.4" />
    </>
  ),
  plus: (
    <>
      <path d="M8 3.2v9.6M3.2 8h9.6" />
    </>
  ),
  restore: (
    <>
      <path d="M3 8a5 5 0 1 0 1.7-3.8M4.5 1.8v2.7h2.7" />
    </>
  ),
  right: (
    <>
      <path d="m6.5 4.5 3.5 3.5-3.5 3.5" />
    </>
  ),
  role: (
    <>
      <path d="M8 2 13 4v3.6c0 3-2 5.1-5 6.4-3-1.3-5-3.4-5-6.4V4z" />
      <path d="M8 6.2v3" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="4.3" />
      <path d="m10.3 10.3 3.2 3.2" />
    </>
  ),
  sliders: (
    <>
      <path d="M2.5 4.5h5M11 4.5h2.5M2.5 11.5h2M8 11.5h5.5" />
      <circle cx="9.2" cy="4.5" r="1.7" />
      <circle cx="6.2" cy="11.5" r="1.7" />
    </>
  ),
  theme: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 2.5v11M10.5 4v8M12.4 5.8v4.4" />
    </>
  ),
  trash: (
    <>
      <path d="M3 4.5h10M6.2 4.5V2.8h3.6v1.7M4.4 4.5l.5 8.7h6.2l.5-8.7" />
    </>
  ),
  up: (
    <>
      <path d="M8 13V3.5M4.2 7 8 3.3 11.8 7" />
    </>
  ),
  upload: (
    <>
      <path d="M8 10.4V3M4.6 6 8 2.6 11.4 6M2.8 13.2h10.4" />
    </>
  ),
  warn: (
    <>
      <path d="M8 2.8 14.2 13.2H1.8zM8 6.6v3M8 11.4h.01" />
    </>
  ),
  x: (
    <>
      <path d="m4.2 4.2 7.6 7.6M11.8 4.2l-7.6 7.6" />
    </>
  ),
} as const satisfies Record<string, ReactNode>

export type IconName = keyof typeof ICONS

/** An icon beside a word, which says what it means: it is hidden from screen readers. */
export function Icon({ name, small = false }: { name: IconName; small?: boolean }) {
  return (
    <svg className={small ? 'i s' : 'i'} viewBox="0 0 16 16" aria-hidden="true">
      {ICONS[name]}
    </svg>
  )
}
