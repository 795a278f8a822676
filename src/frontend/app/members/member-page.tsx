import { Outlet } from '@tanstack/react-router'

export function MemberPage() {
  return <Outlet />
}
