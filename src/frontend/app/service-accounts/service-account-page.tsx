import { Outlet } from '@tanstack/react-router'

export function ServiceAccountPage() {
  return <Outlet />
}
