/** Changes of a session by a user: its name, marks, options, mode and model. */

import type { Bus } from '../bus/port.js'
import type { Journal } from '../journal/journal.js'
import { HubError } from '../protocol/error.js'
import { isFreer } from '../protocol/option/mode-freedom.js'
import { hideSecrets } from '../protocol/option/option.js'
import {
  type Authority,
  changeOptions,
  liftedLimits,
  type StoredOptions,
} from '../protocol/option/option-role.js'
import type { Actor, PermissionMode } from '../protocol/value.js'
import type { Store } from '../store/port.js'
import { appendOnce } from './messages.js'
import type { OptionRights } from './option-right.js'
import { refuseOwnHome } from './own-home.js'
import type { Hub, HubDeps } from './port.js'
import type { SessionLookup } from './session-lookup.js'

export interface SessionChangeDeps extends Pick<HubDeps, 'learnSecrets' | 'policyResolver'> {
  journal: Journal
  store: Store
  bus: Bus
  optionRights: OptionRights
  lookup: SessionLookup
}

export interface SessionChange {
  change: Hub['change']
  setOptions(sessionId: string, stored: StoredOptions, by: Actor): Promise<void>
}

export function createSessionChange(deps: SessionChangeDeps): SessionChange {
  const { journal, store, bus, optionRights } = deps
  const { session, managed } = deps.lookup
  const { ownHomes } = deps.policyResolver

  /** Written down first, with who has done it: no process is started with options that are in no audit. */
  async function setOptions(sessionId: string, stored: StoredOptions, by: Actor): Promise<void> {
    const data = { options: hideSecrets(stored.options), by }
    const { cwd } = await session(sessionId)
    await deps.learnSecrets({ id: sessionId, cwd }, stored.options)
    await journal.append(sessionId, [{ type: 'session.changed', data }])
    await store.setOptions(sessionId, stored)
  }

  const change: Hub['change'] = async (
    id,
    { title, externalId, isPinned, isArchived, isMuted, tags, options, ...rest },
    actor,
    authority = 'owner',
  ) => {
    if (options !== undefined) optionRights.check(options, authority)
    const { id: sessionId, cwd } = await session(id)
    if (rest.permissionMode !== undefined) refuseOwnHome(cwd, rest.permissionMode, ownHomes)
    if (externalId !== undefined) {
      await managed(sessionId)
      await appendOnce(journal, sessionId, [{ type: 'session.changed', data: { externalId } }], {})
    }
    if (title !== undefined) await journal.append(sessionId, [{ type: 'session.changed', data: { title } }])
    const kept = {
      ...(isPinned !== undefined && { isPinned }),
      ...(isArchived !== undefined && { isArchived }),
      ...(isMuted !== undefined && { isMuted }),
      ...(tags !== undefined && { tags: [...new Set(tags)] }),
    }
    if (Object.keys(kept).length > 0)
      await journal.append(sessionId, [{ type: 'session.changed', data: { ...kept, by: actor } }])
    if (options !== undefined || Object.keys(rest).length > 0) await managed(sessionId)
    if (options !== undefined) {
      const before = await store.options(sessionId)
      refuseLifting(liftedLimits(before, options, authority), authority)
      await setOptions(sessionId, changeOptions(before, options, authority), actor)
      await bus.call({ type: 'session.park', sessionId, onlyIdle: true })
    }
    if (Object.keys(rest).length > 0)
      await bus.call({ type: 'session.configure', sessionId, change: rest, by: actor })
    if (rest.permissionMode !== undefined) await narrowCalled(sessionId, rest.permissionMode, actor)
    return session(sessionId)
  }

  /** Agents that it has called, and those that they have called, do not stay freer than it has become. */
  async function narrowCalled(
    sessionId: string,
    permissionMode: PermissionMode,
    actor: Actor,
  ): Promise<void> {
    const { agents } = await session(sessionId)
    for (const id of Object.keys(agents).filter((name) => name.startsWith('ses_'))) {
      const called = await journal.session(id)
      if (called?.parentId === sessionId && isFreer(called.permissionMode, permissionMode))
        await change(id, { permissionMode }, actor)
    }
  }

  return { change, setOptions }
}

function refuseLifting(names: readonly string[], role: Authority): void {
  if (names.length === 0) return
  throw new HubError(
    'role_insufficient',
    `An admin has set a limit on this session: ${names.join(', ')}. Changing it requires the role admin. Your role is ${role}.`,
    { needed: 'admin', role, options: names },
  )
}
