import './shell/link-token.ts'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { onFactorNeeded } from './api/factor-needed.ts'
import { queryClient } from './api/query-client.ts'
import { onSession } from './api/session.ts'
import { clearCopied } from './components/clipboard.ts'
import { ToastProvider } from './components/toast.tsx'
import { createConsoleRouter } from './routes.tsx'
import { applyTheme } from './shell/theme.ts'

applyTheme()
const router = createConsoleRouter(queryClient)
onFactorNeeded(() => {
  const { pathname, href } = router.latestLocation
  if (pathname === '/sign-in/second-factor') return
  const search = pathname.startsWith('/sign-in') ? {} : { next: href }
  void router.navigate({ to: '/sign-in/second-factor', search })
})
const element = document.getElementById('console')
if (element === null) throw new Error('index.html has no element for the console')

const page = createRoot(element)

// Nothing of an account stays where it has left: not on the screen, and not in a page that going back would show again.
onSession((state) => {
  if (state !== 'left' && state !== 'replaced') return
  page.unmount()
  queryClient.clear()
  void clearCopied().finally(() => location.replace(state === 'left' ? '/sign-in' : '/'))
})
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})

page.render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <ToastProvider>
          <RouterProvider router={router} />
        </ToastProvider>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)

if (process.env.NODE_ENV === 'development') void import('./dev/reload.ts')
