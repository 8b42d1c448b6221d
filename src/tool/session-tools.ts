/** The tools of one session: calls of its agent are answered here. */

import type { Clock } from '../lib/clock.js'
import type { Log } from '../lib/log.js'
import { reason, reasonText } from '../protocol/reason/reason.js'
import type { Completion } from '../protocol/value.js'
import { callTool } from './call.js'
import { failedResult, type ToolResult } from './output.js'
import { createProgress } from './progress.js'
import type { ToolRegistry } from './registry.js'
import type { ToolRequest } from './tool-server.js'

export interface SessionToolsDeps {
  registry(): ToolRegistry
  sessionId: string
  workspace: string
  clock: Clock
  log: Log
  onProgress(progress: { toolUseId: string | null; text: string }): void
  /** Records the outcome of the task and ends it. The agent gets an error that this throws. */
  onCompletion(completion: Completion & { toolUseId: string | null; isRepeated: boolean }): Promise<void>
}

/** Answers one call. There is always a result, whatever the tool does. */
export type CallTool = (request: ToolRequest) => Promise<ToolResult>

export function createSessionTools(deps: SessionToolsDeps): CallTool {
  const { registry, sessionId, workspace, clock, log, onProgress, onCompletion } = deps
  return async ({ name, args, toolUseId, signal, isRepeated }) => {
    const tool = registry().published([name])[0]
    if (!tool) return failedResult(`There is no tool ${name}.`)
    if (isRepeated && !tool.isRepeatable) return failedResult(reasonText([reason('notice.call-repeated')]))
    const progress = createProgress(clock, (text) => onProgress({ toolUseId, text }))
    try {
      return await callTool(tool, args, {
        sessionId,
        workspace,
        toolUseId,
        signal,
        log,
        progress: (text) => progress.tell(text),
        complete: (completion) => onCompletion({ ...completion, toolUseId, isRepeated: isRepeated ?? false }),
      })
    } finally {
      progress.end()
    }
  }
}
