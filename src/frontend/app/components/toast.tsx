import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'

type Act = { label: string; onClick: () => void }
export type ToastMessage = { sentence: string; act: Act | undefined }

// What shows toasts is loaded after the first page: until then they wait here.
const waiting: ToastMessage[] = []
let show: ((message: ToastMessage) => void) | null = null

const ToastStack = lazy(() => import('./toast-stack.tsx').then(({ ToastStack }) => ({ default: ToastStack })))

/** Shows toasts beside the pages. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [isLoaded, setLoaded] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLoaded(true), 1_000)
    return () => clearTimeout(timer)
  }, [])
  return (
    <>
      {children}
      {isLoaded && (
        <Suspense>
          <ToastStack />
        </Suspense>
      )}
    </>
  )
}

/** Says that something was done, with at most one act, such as Undo. For successes only: errors stand beside their cause. */
export const useToast = (): ((sentence: string, act?: Act) => void) => toast

function toast(sentence: string, act?: Act): void {
  if (show === null) waiting.push({ sentence, act })
  else show({ sentence, act })
}

/** Gives each toast to what shows it, those that wait first. */
export function onToast(listener: (message: ToastMessage) => void): () => void {
  show = listener
  for (const message of waiting.splice(0)) listener(message)
  return () => {
    show = null
  }
}
