/** How often the policy asks about commands that only read: by proof alone, and where the read-only jail is available. */

import { CAREFUL, evaluate } from '../src/policy/evaluate.js'
import { type PlacedFiles, placedFiles } from '../src/policy/file/placed-files.js'
import type { Verdict } from '../src/protocol/policy/policy.js'
import { BENIGN } from '../test/support/benign/command.js'
import { HOME, WORKSPACE } from './policy-corpus.js'

export interface Miss {
  category: string
  command: string
  verdict: Verdict
}

export function judgeBenign(command: string, files: PlacedFiles, { jail = false } = {}): Verdict {
  const fs = placedFiles(files, WORKSPACE)
  return evaluate(
    { tool: 'Bash', input: { command }, mode: 'default', cwd: WORKSPACE, home: HOME, jail, fs },
    CAREFUL,
  )
}

export function benignMisses(files: PlacedFiles, options: { jail: boolean }): Miss[] {
  return Object.entries(BENIGN).flatMap(([category, commands]) =>
    commands
      .map((command) => ({ category, command, verdict: judgeBenign(command, files, options) }))
      .filter(({ verdict }) => verdict.verdict !== 'allow'),
  )
}

export function countBenign(): number {
  return Object.values(BENIGN).flat().length
}
