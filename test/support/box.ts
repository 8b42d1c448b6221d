/** Everything but the process and the network: the real parts joined around a memory store and stand-ins for the CLI. */

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createMemoryBus } from '../../src/bus/memory.js'
import { createHub } from '../../src/hub.js'
import { createInbox } from '../../src/inbox/inbox.js'
import { createJournal } from '../../src/journal.js'
import { grantFor } from '../../src/policy/grant.js'
import type { SessionEvent } from '../../src/protocol/event.js'
import { createRunner } from '../../src/session/runner.js'
import { createMemoryStore } from '../../src/store/memory.js'
import { aPerson, ids } from './build.js'
import { createFakeClaudes } from './fake-claude.js'
import { createManualClock } from './manual-clock.js'
import { temporaryFolder } from './temporary-folder.js'

export interface BoxOptions {
  permissionTimeoutMs?: number
  store?: ReturnType<typeof createMemoryStore>
}

export async function createBox({ permissionTimeoutMs = 0, store: given }: BoxOptions = {}) {
  const folder = await temporaryFolder()
  const cwd = join(folder, 'project')
  await mkdir(cwd)
  const clock = createManualClock()
  const store = given ?? createMemoryStore({ newId: () => ids.next('evt') })
  const journal = createJournal({ store, clock, ids })
  const inbox = createInbox({
    journal,
    store,
    clock,
    ids,
    grantFor,
    permissionTimeoutMs,
    questionTimeoutMs: 0,
  })
  const bus = createMemoryBus()
  const claudes = createFakeClaudes()
  const faults: unknown[] = []
  const runner = createRunner({
    journal,
    inbox,
    clock,
    ids,
    store,
    bus,
    openClaude: claudes.open,
    env: {},
    configFolder: join(folder, 'claude'),
    mark: ids.next('box'),
    onFault: (error) => faults.push(error),
  })
  const hub = createHub({ journal, store, inbox, bus, ids, whenBusy: 'inject' })
  await runner.start()
  onTestFinished(() => runner.close())
  return {
    folder,
    cwd,
    clock,
    store,
    journal,
    inbox,
    hub,
    runner,
    claudes,
    faults,
    createSession: (prompt?: string) =>
      hub.createSession({ cwd, ...(prompt !== undefined && { prompt }) }, aPerson),
    events: async (sessionId: string): Promise<SessionEvent[]> =>
      (await store.readSession(sessionId)).map(({ event }) => event),
    types: async (sessionId: string): Promise<string[]> =>
      (await store.readSession(sessionId)).map(({ event }) => event.type),
  }
}

export type Box = Awaited<ReturnType<typeof createBox>>
