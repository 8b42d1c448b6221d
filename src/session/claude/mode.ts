import type { PermissionMode } from '../../protocol/value.js'

/**
 * The mode that the CLI is in while the session is in ours. Our gate allows everything in `bypassPermissions` by itself:
 * the CLI would refuse to enter that mode later, or as root.
 */
export function claudeMode(mode: PermissionMode): PermissionMode {
  return mode === 'bypassPermissions' ? 'default' : mode
}
