/** Frames of a link between two processes: one JSON object per line. */

import { z } from 'zod'
import type { AppendOptions, Published } from '../journal/journal.js'
import { HubError } from '../protocol/error.js'
import type { DeltaDraft } from '../protocol/event/event.js'
import type { JailStatus } from '../protocol/jail.js'
import type { RunnerCommand, RunnerCommandName } from '../protocol/runner-command.js'
import type { StorageProblem } from '../protocol/storage.js'
import type { Refusal, StampedDraft } from '../store/port/append.js'
import type { StoredSecret } from '../store/port.js'

/** Both sides speak this one. */
export const LINK_PROTOCOL = 1

/** The first frame of a runner. */
export const Hello = z.object({
  type: z.literal('hello'),
  protocol: z.literal(LINK_PROTOCOL),
  key: z.string(),
  machine: z.string(),
  /** Stands for the version and the settings that it works with. */
  build: z.string(),
  /** The identity of the runner's spool. */
  spool: z.string().min(1).max(64),
  /** Events behind this position are sent; null: behind the newest. */
  after: z.number().int().nonnegative().nullable(),
})
export type Hello = z.infer<typeof Hello>

/** Numbered by the runner: the hub takes each once. */
export type Kept =
  | {
      type: 'append'
      n: number
      sessionId: string
      drafts: StampedDraft[]
      options: Omit<AppendOptions, 'at' | 'waitMs' | 'ids' | 'from'>
    }
  | { type: 'secrets'; n: number; sessionId: string; values: string[]; source: StoredSecret['source'] }

export interface FrameError {
  message: string
  code?: HubError['code']
  details?: Record<string, unknown>
}

/** The answer to an `ask` or a `command`. */
export type Answer =
  | { type: 'reply'; call: number; value?: unknown }
  | { type: 'failed'; call: number; error: FrameError }

/** Facts of the runner that clients are shown. */
export interface RunnerState {
  jail: JailStatus
}

export type ToHub =
  | Hello
  | { type: 'state'; state: RunnerState }
  | Kept
  | Answer
  | { type: 'delta'; sessionId: string; draft: DeltaDraft }
  | { type: 'ask'; call: number; what: string; input: unknown[] }
  | { type: 'abort'; call: number }
  | { type: 'serve' | 'leave'; names: RunnerCommandName[] }

export type ToRunner =
  /** `lastN`: up to here the numbers of its spool were taken. */
  | { type: 'welcome'; epoch: number; lastN: number; position: number; problem: StorageProblem | null }
  | { type: 'feed'; items: Published[] }
  | { type: 'refused'; n: number; why: Refusal }
  /** It cannot be stored, for a reason that trying again does not change. */
  | { type: 'unstorable'; n: number; message: string }
  | { type: 'done'; n: number }
  /** It was taken before: if it was stored, the feed has shown its events by now. */
  | { type: 'repeated'; n: number }
  | Answer
  | { type: 'progress'; call: number; text: string }
  | { type: 'command'; call: number; command: RunnerCommand }
  | { type: 'abort'; call: number }
  | { type: 'storage'; problem: StorageProblem | null }
  /** The runner is to end its processes, and itself. */
  | { type: 'end' }

export function frameError(error: unknown): FrameError {
  if (error instanceof HubError) {
    const { message, code, details } = error
    return { message, code, details }
  }
  return { message: error instanceof Error ? error.message : 'unknown failure' }
}

export function errorOf({ message, code, details }: FrameError): Error {
  return code === undefined ? new Error(message) : new HubError(code, message, details)
}
