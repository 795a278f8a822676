import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { answer, api } from '../api/client.ts'
import { ConfirmDialog } from '../components/dialog.tsx'
import { useToast } from '../components/toast.tsx'
import type { Version } from './version.ts'

type RestoreVersionProps = {
  secretId: string
  appId: string
  version: Version | null
  next: number
  where: string
  onClose: () => void
}

/** Asks before an old version becomes the newest one again. */
export function RestoreVersion({ secretId, version, next, where, onClose }: RestoreVersionProps) {
  const queryClient = useQueryClient()
  const navigate = useNavigate({ from: '/apps/$appId/secrets/$secretId' })
  const toast = useToast()
  const restore = async () => {
    await answer(api.v1.secrets({ id: secretId }).restore.post({ version: version?.version ?? 0 }))
    await queryClient.invalidateQueries({ queryKey: ['secrets', secretId, 'history'] })
    await navigate({ search: {} })
    toast(`Version ${version?.version} was restored.`)
  }
  return (
    <ConfirmDialog
      open={version !== null}
      onClose={onClose}
      title={`Restore version ${version?.version}?`}
      text={`It becomes version ${next}, with its value, name, path, tags and comment. Everyone who can open ${where} gets it at the next read.`}
      act={`Restore version ${version?.version}`}
      danger={false}
      onConfirm={restore}
    />
  )
}
