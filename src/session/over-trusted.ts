/** Processes that have loaded settings of a folder that is not trusted any more. */

import { raiseNotice } from '../protocol/event/notice.js'
import { reason } from '../protocol/reason/reason.js'
import type { RunnerStore } from '../store/port/runner-store.js'
import type { Launch } from './claude/port.js'
import type { LiveSession } from './live-session.js'
import { findTrust, type Trust } from './trust.js'

/** Whether the process has loaded what would not be loaded now: from a folder that is not trusted, or not any more. */
export async function isOverTrusted(
  { trust, launch }: { trust: Trust; launch: Launch },
  store: Pick<RunnerStore, 'trustedWorkspaces'>,
): Promise<boolean> {
  if (!trust.isTrusted) return false
  const now = await findTrust({
    cwd: launch.cwd,
    trusted: await store.trustedWorkspaces(),
    userHome: launch.env['HOME'] ?? '/',
    more: launch.options.additionalDirectories ?? [],
  })
  return !now.isTrusted || now.strangers.some((folder) => !trust.strangers.includes(folder))
}

/** Ends such a process, and says why in its session. */
export async function endOverTrusted(live: LiveSession): Promise<void> {
  live.write([raiseNotice('warning', 'trust', reason('notice.untrusted'))])
  await live.end('parked', reason('end.untrusted'))
}
