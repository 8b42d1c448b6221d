/** Processes that have loaded settings of a folder that is not trusted any more. */

import type { EventDraft } from '../protocol/event/event.js'
import type { Store } from '../store/port.js'
import type { Launch } from './claude/port.js'
import type { LiveSession } from './live-session.js'
import { findTrust, type Trust } from './trust.js'

const TRUST_ENDED = 'The workspace is not trusted any more.'

/** Whether the process has loaded what would not be loaded now: from a folder that is not trusted, or not any more. */
export async function isOverTrusted(
  { trust, launch }: { trust: Trust; launch: Launch },
  store: Pick<Store, 'trustedWorkspaces'>,
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
  live.write([trustNotice()])
  await live.end('parked', TRUST_ENDED)
}

function trustNotice(): EventDraft {
  const text =
    'The workspace, or a folder above it, is not trusted. The process that had loaded its settings was ended; the next message starts one without them.'
  return { type: 'notice.raised', data: { level: 'warning', topic: 'trust', text } }
}
