import { Toast } from '@base-ui/react/toast'
import type { ReactNode } from 'react'

/** Shows toasts for six seconds; they stay while hovered or focused. */
export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider timeout={6000} limit={3}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <Toasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

/** Says that something was done, with at most one act, such as Undo. For successes only: errors stand beside their cause. */
export function useToast(): (sentence: string, act?: { label: string; onClick: () => void }) => void {
  const { add, close } = Toast.useToastManager()
  return (sentence, act) => {
    const id = add({
      title: sentence,
      ...(act === undefined
        ? {}
        : {
            actionProps: {
              children: act.label,
              onClick: () => {
                close(id)
                act.onClick()
              },
            },
          }),
    })
  }
}

function Toasts() {
  const { toasts } = Toast.useToastManager()
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast">
      <Toast.Title render={<span />} />
      <Toast.Action className="btn sm" />
    </Toast.Root>
  ))
}
