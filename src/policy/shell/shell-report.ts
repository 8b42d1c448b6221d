/** The result of reading a shell command. */

import type { Access } from '../file/file-access.js'
import type { Target } from '../file/target.js'
import type { Finding } from '../finding.js'
import type { Span } from './field.js'

export interface ShellReport {
  findings: readonly Finding[]
  commands: readonly ReadCommand[]
  uses: readonly PathUse[]
}

/** One simple command, as the program would receive it. */
export interface ReadCommand {
  words: readonly string[]
  /** For each word, whether it is exactly that text: no glob, nothing that is only known at run time. */
  isSure: readonly boolean[]
  /** In which it may run: several after a `cd` that may have failed. */
  folders: readonly string[]
  span: Span
}

/** A file that the command would touch, and how. */
export interface PathUse {
  access: Access
  target: Target
  command: number | null
  /** With everything below it. */
  isTree?: boolean
  /** Files of this name at any depth. */
  isFound?: boolean
  /** For a tree: only the files that git tracks, or ever stored, perhaps under names that no longer exist. */
  stored?: 'tracked' | 'ever'
}
