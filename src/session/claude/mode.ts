import type { PermissionMode } from '../../protocol/value.js'

/**
 * Maps our permission mode to the CLI's. In `bypassPermissions` our gate allows every call without the CLI's
 * help: the CLI would refuse to enter that mode later, or as root.
 */
export function claudeMode(mode: PermissionMode): PermissionMode {
  return mode === 'bypassPermissions' ? 'default' : mode
}
