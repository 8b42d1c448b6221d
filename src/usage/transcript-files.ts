/** The transcripts of Claude Code, project by project. */

import { type Dirent, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

export interface TranscriptPlace {
  path: string
  /** Claude's. That of a subagent's file is the session's. */
  sessionId: string
  inode: string
  size: number
}

export function* listTranscripts(folder: string): Generator<TranscriptPlace[]> {
  for (const project of entriesOf(folder)) {
    if (project.isDirectory()) yield [...inProject(join(folder, project.name))]
  }
}

function* inProject(folder: string): Generator<TranscriptPlace> {
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name)
    if (entry.isFile() && entry.name.endsWith('.jsonl')) yield* placeOf(path, basename(path, '.jsonl'))
    if (!entry.isDirectory()) continue
    for (const agent of entriesOf(join(path, 'subagents'))) {
      if (agent.isFile() && agent.name.endsWith('.jsonl'))
        yield* placeOf(join(path, 'subagents', agent.name), entry.name)
    }
  }
}

function* placeOf(path: string, sessionId: string): Generator<TranscriptPlace> {
  try {
    const { ino, size } = statSync(path)
    yield { path, sessionId, inode: String(ino), size }
  } catch {
    // It was deleted meanwhile.
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
