import { createContext, useContext } from 'react'
import type { Viewer } from '../api/me.ts'

export const ViewerContext = createContext<Viewer | null>(null)

/** The signed-in member. Pages inside the shell have one. */
export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext)
  if (viewer === null) throw new Error('useViewer is for pages inside the shell')
  return viewer
}
