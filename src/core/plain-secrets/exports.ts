import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import type { Room } from '../large-reads.ts'
import { type ExportedFile, type ExportFormat, exportFile, kubernetesName } from './export-formats.ts'
import { type NamedPlace, withOpened } from './opening.ts'
import { openedRows, type PlainFilter } from './plain-secrets.ts'

/**
 * Secrets of an environment as a file, as their programs need them: with references resolved, and with the actor's
 * overrides where they count. 400 where the format can't hold them; otherwise as `list`.
 */
export const exportSecrets = (
  ctx: Context,
  actor: Actor,
  place: NamedPlace,
  filter: PlainFilter,
  format: ExportFormat,
  room: Room,
): Promise<ExportedFile> =>
  withOpened(ctx, actor, place, async (environment) => {
    const rows = await openedRows(ctx, actor, environment, filter, room)
    const entries = rows.map(({ key, value, override }) => ({
      key,
      value: override?.is_active === true ? override.value : value,
    }))
    const { app_name, name, id } = environment.row
    return await exportFile(format, entries, kubernetesName(app_name, name, id), room.requireWaiting)
  })
