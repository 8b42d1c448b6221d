/** Shared by all parts of the suite: the store of the running test, and builders of appends. */

import { afterEach, beforeEach } from 'vitest'
import { ids, sessionCreated } from '../../../test/support/build.js'
import type { EventDraft } from '../../protocol/event/event.js'
import { givenOptions } from '../../protocol/option/option-role.js'
import type { AppendGroup, AppendResult } from '../port/append.js'
import type { Store } from '../port.js'

export const AT = '2026-11-15T12:00:00.000Z'
export const ENDED: EventDraft = { type: 'session.ended', data: { outcome: 'completed', reason: 'Done.' } }
export const GIVEN = givenOptions({ maxTurns: 3, env: { TOKEN: 'secret' } }, 'admin')

export interface OpenedStore {
  /** A new one in each test. */
  readonly store: Store
  group(sessionId: string, drafts: EventDraft[], once?: AppendGroup['once']): AppendGroup
  append(sessionId: string, ...drafts: EventDraft[]): Promise<AppendResult>
  /** Resolves with the id of a new session. */
  aSession(): Promise<string>
}

/** Opens a store before each test of the enclosing `describe`, and closes it after. */
export function openForEach(open: () => Promise<Store>): OpenedStore {
  let store: Store
  beforeEach(async () => {
    store = await open()
  })
  afterEach(() => store.close())

  const group: OpenedStore['group'] = (sessionId, drafts, once) => ({
    sessionId,
    drafts: drafts.map((draft) => ({ ...draft, id: ids.next('evt'), at: AT })),
    ...(once && { once }),
  })
  const append: OpenedStore['append'] = async (sessionId, ...drafts) => {
    const [result] = await store.append([group(sessionId, drafts)])
    if (!result) throw new Error('a store answers every group')
    return result
  }
  const aSession = async (): Promise<string> => {
    const sessionId = ids.next('ses')
    await append(sessionId, sessionCreated())
    return sessionId
  }
  return {
    get store() {
      return store
    },
    group,
    append,
    aSession,
  }
}
