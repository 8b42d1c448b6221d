/** What comes out of reading a shell command. */

import type { Access } from '../file/file-access.js'
import type { Target } from '../file/target.js'
import type { Finding } from '../finding.js'
import type { Span } from './field.js'

export interface ShellReport {
  findings: readonly Finding[]
  commands: readonly ReadCommand[]
  uses: readonly PathUse[]
}

/** One simple command, as the program would see it. */
export interface ReadCommand {
  words: readonly string[]
  /** Of each word, whether it is surely that text: no glob, nothing that is only known when it runs. */
  isSure: readonly boolean[]
  folder: string
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
  /** Of a tree: only what git tracks of it, or ever had stored, perhaps under names that are not there now. */
  stored?: 'tracked' | 'ever'
}
