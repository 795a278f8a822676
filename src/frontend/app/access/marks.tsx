import type { ReactNode } from 'react'

/** What the marks mean. */
export const MarksKey = ({ children }: { children?: ReactNode }) => (
  <p className="key">
    <span>
      <i className="hm g" />
      By grant
    </span>
    <span>
      <i className="hm r" />
      By role
    </span>
    <span>
      <i className="hm" />
      Can’t open it
    </span>
    {children}
  </p>
)
