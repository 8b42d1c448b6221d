/** Events of some lines, to be stored in one commit. */

import type { Session } from '../../protocol/session.js'
import { isObserved, type Known, type ObservedDraft } from './state.js'

export class Batch {
  readonly drafts: ObservedDraft[] = []
  readonly times: string[] = []
  readonly marks = new Set<number>()
  /** Files that were read: the id of the subagent, or an empty text. */
  readonly touched = new Set<string>()
  readonly known: Known
  cwd: string | null = null

  constructor(view: Session | null) {
    this.known = {
      turnId: view?.turn?.id ?? null,
      model: view?.model ?? null,
      branch: view?.branch ?? null,
      title: view?.title ?? null,
      contextTokens: view?.contextTokens ?? null,
      isEnded: (view?.endedAt ?? null) !== null,
    }
  }

  add(draft: ObservedDraft, at: number): void {
    if (!isObserved(draft)) throw new Error('A transcript cannot make this event.')
    this.drafts.push(draft)
    this.times.push(new Date(at).toISOString())
  }
}
