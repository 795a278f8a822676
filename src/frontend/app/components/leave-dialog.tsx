import { useBlocker } from '@tanstack/react-router'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

/** Asks before a page is left whose changes are not applied. */
export function LeaveDialog({ isDirty, what }: { isDirty: boolean; what: string }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  })
  const isAsking = blocker.status === 'blocked'
  return (
    <Dialog
      open={isAsking}
      onClose={() => blocker.reset?.()}
      title="Leave without applying?"
      text={`${what} will be dropped.`}
      acts={
        <>
          <Button kind="quiet" onClick={() => blocker.proceed?.()}>
            Leave
          </Button>
          <Button kind="primary" onClick={() => blocker.reset?.()}>
            Stay
          </Button>
        </>
      }
    />
  )
}
