/** Keeps states of a workspace for a session: one chain of commits per session, so that they end with it. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Sequencer } from '../../lib/sequencer.js'
import type { SnapshotRef } from '../../protocol/change/change.js'
import { type Meta, readMeta } from './meta.js'
import type { SnapshotStore, State } from './snapshot-store.js'

const FOLDER = 'refs/sessions'
/** States of a session that were kept last, and need not be kept again. */
const MAX_KNOWN = 20

export class SessionRefs {
  readonly #store: SnapshotStore
  readonly #now: () => number
  readonly #sequencer = new Sequencer()
  readonly #tips = new Map<string, { tip: string | null; known: Map<string, SnapshotRef> }>()

  constructor(store: SnapshotStore, now: () => number) {
    this.#store = store
    this.#now = now
  }

  /** Resolves with how the state is called in events. */
  keep(sessionId: string, state: State | Unnamed): Promise<SnapshotRef> {
    return this.#sequencer.run(sessionId, () => this.#keep(sessionId, state))
  }

  async #keep(sessionId: string, { tree, meta, metaId }: State | Unnamed): Promise<SnapshotRef> {
    const { writer } = this.#store
    const id = metaId ?? (await this.#store.writeMeta(meta))
    const session = this.#tips.get(sessionId) ?? { tip: await this.#tip(sessionId), known: new Map() }
    this.#tips.set(sessionId, session)
    const known = session.known.get(`${tree} ${id}`)
    if (known) return known
    const root = await writer.tree([
      { mode: '40000', name: 'files', id: tree },
      { mode: '100644', name: 'meta', id },
    ])
    const tip = await writer.commit(root, session.tip, Math.floor(this.#now() / 1000), sessionId)
    await writer.setReference(`${FOLDER}/${sessionId}`, tip)
    session.tip = tip
    const ref = { id: tip, tree }
    session.known.set(`${tree} ${id}`, ref)
    const [oldest] = session.known.keys()
    if (session.known.size > MAX_KNOWN && oldest !== undefined) session.known.delete(oldest)
    return ref
  }

  /** The state that was kept; rejects if it is gone. */
  async read({ id, tree }: SnapshotRef): Promise<Omit<State, 'metaId'>> {
    const meta: Meta = readMeta(await this.#store.git.run(['cat-file', 'blob', `${id}:meta`]))
    return { tree, meta }
  }

  /** The oldest state that was kept for a session; null if there is none. */
  async first(sessionId: string): Promise<Omit<State, 'metaId'> | null> {
    const list = ['rev-list', '--max-parents=0', `${FOLDER}/${sessionId}`]
    const { code, stdout } = await this.#store.git.attempt(list)
    const id = stdout.toString('latin1').trim()
    if (code !== 0 || id === '') return null
    const tree = await this.#store.git.run(['rev-parse', '--verify', `${id}:files`])
    return this.read({ id, tree: tree.toString('latin1').trim() })
  }

  /** States may have been deleted from the store. */
  forgetKnown(): void {
    this.#tips.clear()
  }

  async #tip(sessionId: string): Promise<string | null> {
    const loose = await readFile(join(this.#store.git.store, FOLDER, sessionId), 'utf8').catch(() => null)
    if (loose !== null) return loose.trim()
    const { code, stdout } = await this.#store.git.attempt([
      'rev-parse',
      '--quiet',
      '--verify',
      `${FOLDER}/${sessionId}`,
    ])
    return code === 0 ? stdout.toString('latin1').trim() : null
  }
}

/** A state whose meta data has not been written yet. */
interface Unnamed extends Omit<State, 'metaId'> {
  metaId?: undefined
}
