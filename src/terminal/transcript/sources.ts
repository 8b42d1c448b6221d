/** The files of one conversation: that of the session, and those of its subagents. */

import { closeSync, readSync } from 'node:fs'
import { asRecord, asText } from '../../lib/read-json.js'
import { idOf } from './line.js'
import { listAgents, type TranscriptPlace } from './place.js'
import { openTranscript, SourceFile, type SourceItem } from './source-file.js'
import { type FileState, newFileState } from './state.js'
import type { StoredConversation } from './table.js'
import type { AgentFacts } from './to-figure-events.js'

export interface Source {
  /** An empty text for the session itself. */
  readonly agentId: string
  readonly file: SourceFile
  readonly facts: AgentFacts | null
}

const MAX_META_BYTES = 64 << 10

export class Sources {
  readonly #root: () => string | null
  readonly #known = new Map<string, Source>()

  constructor(root: () => string | null) {
    this.#root = root
  }

  list(place: TranscriptPlace | null): Source[] {
    if (place && !this.#known.has(''))
      this.#known.set('', { agentId: '', file: new SourceFile(place.path), facts: null })
    const root = this.#root()
    for (const { agentId, path } of place && root !== null ? listAgents(root, place) : []) {
      if (!this.#known.has(agentId))
        this.#known.set(agentId, {
          agentId,
          file: new SourceFile(path, { isAgent: true }),
          facts: factsOf(path),
        })
    }
    return [...this.#known.values()]
  }

  /** Forgets what was read ahead. */
  reset(): void {
    for (const { file } of this.#known.values()) file.reset()
  }
}

export function fileOf(stored: StoredConversation, { agentId }: Pick<Source, 'agentId'>): FileState {
  if (agentId === '') return stored.main
  const known = stored.agents.get(agentId) ?? newFileState()
  stored.agents.set(agentId, known)
  return known
}

/**
 * The files are merged by time: a subagent writes while its session does. `skipped`: call again. `exhausted`: files that
 * have nothing more, which are not asked again.
 */
export function earliest(
  sources: readonly Source[],
  stored: StoredConversation,
  exhausted: Set<Source>,
): { source: Source; item: SourceItem } | 'skipped' | null {
  let first: { source: Source; item: SourceItem } | null = null
  for (const source of sources) {
    if (exhausted.has(source)) continue
    const item = source.file.next(fileOf(stored, source))
    if (item === null) exhausted.add(source)
    if (item === 'skipped') return 'skipped'
    if (item && (!first || item.at < first.item.at)) first = { source, item }
  }
  return first
}

/** Facts that Claude Code writes beside the file, or a moment after it. */
function factsOf(path: string): AgentFacts {
  const meta = asRecord(readMeta(path.replace(/\.jsonl$/, '.meta.json')))
  return {
    agentType: asText(meta['agentType']),
    description: asText(meta['description']),
    toolUseId: idOf(meta['toolUseId']),
    isBackground: meta['requestShape'] === 'background',
  }
}

function readMeta(path: string): unknown {
  // No symlink is followed.
  const opened = openTranscript(path)
  if (!opened) return null
  try {
    const bytes = Buffer.alloc(MAX_META_BYTES)
    return JSON.parse(bytes.toString('utf8', 0, readSync(opened.file, bytes, 0, bytes.length, 0)))
  } catch {
    return null
  } finally {
    closeSync(opened.file)
  }
}
