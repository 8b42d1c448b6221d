/** The package's root: Signalbox for programs. */

export type { AgUiEvent } from './dialect/ag-ui.js'
export type { ManagerEvent } from './dialect/manager.js'
export type { UnifiedEvent } from './dialect/unified.js'
export { type BuilderConfig, type BuilderRun, ClaudeCodeBuilder } from './drop-in/claude-code-builder.js'
export {
  ClaudeManager,
  type ClaudeManagerOptions,
  type SendMessageOptions,
} from './drop-in/claude-manager.js'
export { Session } from './embed/session.js'
export { createSignalbox, type Signalbox, type SignalboxOptions } from './embed/signalbox.js'
export { type EvaluatePolicyInput, evaluatePolicy } from './policy/evaluate-policy.js'
export type { Policy, PolicyRule, Verdict } from './protocol/policy/policy.js'
export {
  FileStreamConsumer,
  LifecycleSessionMonitor,
  openFileStreamConsumer,
  type SessionMonitorProvider,
} from './terminal/index.js'
export { ToolRegistry } from './tool/registry.js'
export { defineTool, type Tool, type ToolContext, type ToolDefinition, ToolFailure } from './tool/tool.js'
