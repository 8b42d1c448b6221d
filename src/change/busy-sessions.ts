/** Sessions that use a folder now: neither an undo nor a worktree command may change its files meanwhile. */

import type { Session } from '../protocol/session.js'
import type { Store } from '../store/port.js'

/** Sessions with a turn, a request or a background command in the folder, above it or below it. */
export async function busySessions(
  { cwd: folder, machine }: Pick<Session, 'cwd' | 'machine'>,
  store: Pick<Store, 'sessions'>,
): Promise<Session[]> {
  const active = await store.sessions({ isActive: true, machine })
  return active.filter(
    ({ cwd, turn, tasks, agents }) =>
      (isInside(cwd, folder) || isInside(folder, cwd)) &&
      (turn !== null || Object.keys(tasks).length > 0 || Object.keys(agents).length > 0),
  )
}

function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}
