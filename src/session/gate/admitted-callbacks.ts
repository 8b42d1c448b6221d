/**
 * Callbacks of a process that may still be discarded, because what it was started with has changed meanwhile: they wait
 * until it is known whether the process belongs to its session.
 */

import { failedResult } from '../../tool/output.js'
import type { ClaudeCallbacks } from '../claude/port.js'

const DISCARDED = 'This process was started with settings that have changed meanwhile.'

export function admittedCallbacks(callbacks: ClaudeCallbacks, isAdmitted: Promise<boolean>): ClaudeCallbacks {
  return {
    preToolUse: async (call, signal) =>
      (await isAdmitted) ? callbacks.preToolUse(call, signal) : { decision: 'deny', reason: DISCARDED },
    canUseTool: async (call) =>
      (await isAdmitted) ? callbacks.canUseTool(call) : { allow: false, message: DISCARDED },
    elicit: async (form, signal) =>
      (await isAdmitted) ? callbacks.elicit(form, signal) : { action: 'cancel' },
    hook: async (event, input, signal) => ((await isAdmitted) ? callbacks.hook(event, input, signal) : {}),
    callTool: async (request) => ((await isAdmitted) ? callbacks.callTool(request) : failedResult(DISCARDED)),
  }
}
