/** The package's root: Signalbox for programs. */

export { ClaudeManager, type ClaudeManagerOptions, type SendMessageOptions } from './compat/claude-manager.js'
export type { ManagerEvent } from './dialect/manager.js'
export type { UnifiedEvent } from './dialect/unified.js'
export { Session } from './library/session.js'
export { createSignalbox, type Signalbox, type SignalboxOptions } from './library/signalbox.js'
