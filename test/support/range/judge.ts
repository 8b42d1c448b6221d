/** What the policy says to a command in the workspace of a range. */

import { CAREFUL, evaluate } from '../../../src/policy/evaluate.js'
import { type FileSystem, nodeFileSystem } from '../../../src/policy/file-system.js'
import { prove } from '../../../src/policy/proof/prove.js'
import { createWorld } from '../../../src/policy/world.js'
import type { Range } from './range.js'
import { RANGE_HOME, RANGE_WORKSPACE } from './root.js'

/** Says whether a command is allowed without a question. */
export type Judge = (command: string) => boolean

export function judgeFor({ root }: Pick<Range, 'root'>): Judge {
  const fs = filesBelow(root)
  return (command) => {
    const call = {
      tool: 'Bash',
      input: { command },
      mode: 'default' as const,
      cwd: RANGE_WORKSPACE,
      home: RANGE_HOME,
      fs,
    }
    const { verdict, jail } = evaluate(call, CAREFUL)
    return verdict === 'allow' && jail !== true
  }
}

/** The checker without the interpreter: what one of the two overlooks, the other may hide. */
export function proofFor({ root }: Pick<Range, 'root'>): Judge {
  const world = createWorld({ cwd: RANGE_WORKSPACE, home: RANGE_HOME, fs: filesBelow(root) })
  return (command) => prove(command, world).isProven
}

/** The files of the range by the names that they have inside of it. Nothing in it changes, so answers are kept. */
function filesBelow(root: string): FileSystem {
  const real = nodeFileSystem()
  const entries = Object.entries(real).map(([name, look]) => [name, (path: string) => look(root + path)])
  // Every question is about one path and has the same form.
  return Object.fromEntries(entries) as FileSystem
}
