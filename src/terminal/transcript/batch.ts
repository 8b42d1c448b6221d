/** Events of some lines, to be stored in one commit. */

import type { Session } from '../../protocol/session.js'
import { isObserved, type Known, type ObservedDraft } from './state.js'

const NO_TIME = new Date(0).toISOString()
/** Facts about a session, which do not show that a terminal had it: their lines do not name the program. */
const BESIDES: ReadonlySet<string> = new Set(['session.changed', 'notice.raised'])

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

  get hasContent(): boolean {
    return this.drafts.some(({ type }) => !BESIDES.has(type))
  }

  /** Returns the last title that was among them; null if there was none. */
  drop(): string | null {
    this.times.length = 0
    const titles = this.drafts
      .splice(0)
      .flatMap((draft) => (draft.type === 'session.changed' ? (draft.data.summary ?? []) : []))
    return titles.at(-1) ?? null
  }

  /** A title that came before everything else. */
  addTitleFirst(summary: string): void {
    this.drafts.unshift({ type: 'session.changed', data: { summary } })
    this.times.unshift(NO_TIME)
  }

  /** Lines without a time, before all that have one, such as a title, are as old as the first of those. */
  timesFrom(fallback: number): string[] {
    const start = this.times.find((time) => time !== NO_TIME) ?? new Date(fallback).toISOString()
    return this.times.map((time) => (time === NO_TIME ? start : time))
  }
}
