/** A context as a session gives it to a tool; the progress that the tool reports is kept. */

import type { Completion } from '../../src/protocol/value.js'
import type { ToolContext } from '../../src/tool/tool.js'

export interface RecordingContext extends ToolContext {
  told: string[]
  completions: Completion[]
  faults: unknown[]
}

export function aToolContext(context: Partial<ToolContext> = {}): RecordingContext {
  const told: string[] = []
  const completions: Completion[] = []
  const faults: unknown[] = []
  return {
    sessionId: 'ses_00000000000000000000000001',
    workspace: '/nowhere',
    toolUseId: 'toolu_1',
    signal: new AbortController().signal,
    progress: (text) => told.push(text),
    complete: async (completion) => void completions.push(completion),
    log: { info: () => {}, error: (_, error) => faults.push(error) },
    told,
    completions,
    faults,
    ...context,
  }
}
