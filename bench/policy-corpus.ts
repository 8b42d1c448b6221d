/** The policy corpus: its cases, the world in which its verdicts hold, and how verdicts are scored. */

import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { CAREFUL, evaluate } from '../src/policy/evaluate.js'
import { PlacedFiles, placedFiles } from '../src/policy/file/placed-files.js'
import type { Verdict } from '../src/protocol/policy/policy.js'

const Answer = z.enum(['allow', 'deny', 'ask'])

export const CorpusCase = z.looseObject({
  id: z.string(),
  tool: z.string(),
  input: z.unknown(),
  expected: Answer,
  accept: z.array(Answer).default([]),
  category: z.string(),
  fs: PlacedFiles.optional(),
})
export type CorpusCase = z.infer<typeof CorpusCase>

export const WORKSPACE = '/home/dev/project'
export const HOME = '/home/dev'

/** Null when the file is not there. */
export function readCorpus(path: string): CorpusCase[] | null {
  if (!existsSync(path)) return null
  return z.array(CorpusCase).parse(JSON.parse(readFileSync(path, 'utf8')))
}

export function judgeCase({ tool, input, fs }: Pick<CorpusCase, 'tool' | 'input' | 'fs'>): Verdict {
  return evaluate(
    { tool, input, mode: 'default', cwd: WORKSPACE, home: HOME, fs: placedFiles(fs ?? {}, WORKSPACE) },
    CAREFUL,
  )
}

export type Mark = 'exact' | 'accepted' | 'wrong allow' | 'missed deny' | 'false deny' | 'needless ask'

export function markOf({ expected, accept }: CorpusCase, { verdict }: Pick<Verdict, 'verdict'>): Mark {
  if (verdict === expected) return 'exact'
  if (accept.includes(verdict)) return 'accepted'
  if (verdict === 'allow') return 'wrong allow'
  if (expected === 'deny') return 'missed deny'
  return verdict === 'deny' ? 'false deny' : 'needless ask'
}
