import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { toast } from './toast-queue.ts'

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
export const useToast = (): typeof toast => toast
