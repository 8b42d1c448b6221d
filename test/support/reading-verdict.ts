/** The verdict of the interpreter alone on a command, without the proof. */

import { evaluate } from '../../src/policy/evaluate.js'
import { emptyFileSystem } from '../../src/policy/file/file-system.js'

/** `allow`, or the verdict with its rule: `ask write`. */
export function readingFinding(command: string): string {
  const { verdict, rule } = evaluate({
    tool: 'Bash',
    input: { command },
    mode: 'default',
    cwd: '/home/dev/project',
    home: '/home/dev',
    fs: emptyFileSystem,
  })
  return verdict === 'allow' || rule === 'unproven' ? 'allow' : `${verdict} ${rule}`
}

export function readingVerdict(command: string): string {
  return readingFinding(command).split(' ')[0] ?? ''
}
