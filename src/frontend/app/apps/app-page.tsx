import { Outlet } from '@tanstack/react-router'

export function AppPage() {
  return <Outlet />
}
