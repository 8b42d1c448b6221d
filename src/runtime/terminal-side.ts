/** Follows terminals: sessions, held requests, hook and transcripts. Beside the hub, as it shares the hub's database. */

import type { Bus } from '../bus/port.js'
import { Closers } from '../lib/closers.js'
import type { Terminals, TerminalsDeps } from '../terminal/terminals.js'
import type { TranscriptUsage } from '../usage/transcript-usage.js'

type Shared = Pick<TerminalsDeps, 'journal' | 'store' | 'clock' | 'ids' | 'learnFolder'>

export interface TerminalSideParts extends Shared {
  bus: Bus
  /** Absent if terminal sessions are not followed. */
  openTerminals?: (deps: Shared) => Promise<Terminals>
  transcripts?: TranscriptUsage | undefined
  onFault(error: unknown): void
}

export interface TerminalSide {
  /** Follows terminal sessions from now on; commands are answered before. */
  start(): Promise<void>
  close(): Promise<void>
}

export function createTerminalSide(parts: TerminalSideParts): TerminalSide {
  const { bus, journal, store, clock, ids, learnFolder, openTerminals, transcripts, onFault } = parts
  const closers = new Closers(onFault)
  let terminals: Terminals | undefined
  closers.add(
    bus.serve({
      'terminals.list': async () => terminals?.sessions() ?? [],
      'terminals.hold': async ({ lineId }, signal) => (await terminals?.hold(lineId, signal)) ?? null,
      'hooks.status': async () => terminals?.hooks() ?? null,
      'transcripts.status': async () => terminals?.transcripts() ?? null,
      'usage.read': async ({ since }) => (await transcripts?.sums(since)) ?? [],
    }),
    (leave) => leave(),
  )
  return {
    async start() {
      const opened = await openTerminals?.({ journal, store, clock, ids, learnFolder })
      if (opened) terminals = closers.add(opened, (it) => it.close())
    },
    close: () => closers.close(),
  }
}
