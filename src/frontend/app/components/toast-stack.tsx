import { Toast } from '@base-ui/react/toast'
import { useEffect, useRef } from 'react'
import { onToast, type ToastMessage } from './toast-queue.ts'

/** Shows toasts for six seconds; they stay while hovered or focused. */
export function ToastStack() {
  return (
    <Toast.Provider timeout={6000} limit={3}>
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <Toasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function Toasts() {
  const { toasts, add, close } = Toast.useToastManager()
  const ids = useRef(new Map<string, string>())
  useEffect(() => {
    const show = ({ sentence, act, about }: ToastMessage) => {
      const before = ids.current.get(about ?? sentence)
      if (before !== undefined) close(before)
      const id = add({ description: sentence, ...(act === undefined ? {} : { actionProps: propsOf() }) })
      ids.current.set(about ?? sentence, id)
      function propsOf() {
        return {
          children: act?.label,
          onClick: () => {
            close(id)
            act?.onClick()
          },
        }
      }
    }
    return onToast(show)
  }, [add, close])
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast" aria-label="Message">
      <Toast.Description render={<span />} />
      <Toast.Action className="btn sm" />
    </Toast.Root>
  ))
}
