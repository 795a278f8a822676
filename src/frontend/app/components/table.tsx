import type { ReactNode } from 'react'

type HeadProps = {
  children: ReactNode
  /** Of numbers and buttons: at the right edge. */
  right?: boolean
  /** Left out where the page is narrow; `mid` leaves it out earlier. */
  wide?: boolean
  mid?: boolean
}

/** The head of a column. */
export const Head = ({ children, right = false, wide = false, mid = false }: HeadProps) => (
  <th scope="col" className={[right && 'r', wide && 'wide', mid && 'mid'].filter(Boolean).join(' ')}>
    {children}
  </th>
)
