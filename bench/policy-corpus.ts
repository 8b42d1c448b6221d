/** The policy corpus: its cases, the world in which its verdicts hold, and how verdicts are scored. */

import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { CAREFUL, evaluate } from '../src/policy/evaluate.js'
import type { FileSystem } from '../src/policy/file-system.js'
import type { Verdict } from '../src/protocol/policy.js'

const Answer = z.enum(['allow', 'deny', 'ask'])

const Placed = z.union([
  z.strictObject({ file: z.string() }),
  z.strictObject({ dir: z.literal(true) }),
  z.strictObject({ symlink: z.string() }),
  z.strictObject({ hardlink: z.string() }),
])
type Placed = z.infer<typeof Placed>

export const CorpusCase = z.looseObject({
  id: z.string(),
  tool: z.string(),
  input: z.unknown(),
  expected: Answer,
  accept: z.array(Answer).default([]),
  category: z.string(),
  fs: z.record(z.string(), Placed).optional(),
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
    { tool, input, mode: 'default', cwd: WORKSPACE, home: HOME, fs: placedFiles(fs ?? {}) },
    CAREFUL,
  )
}

/** The files of a case, below the workspace. */
export function placedFiles(placed: Readonly<Record<string, Placed>>): FileSystem {
  const entries = new Map(Object.entries(placed).map(([name, entry]) => [`${WORKSPACE}/${name}`, entry]))
  const links = [...entries].flatMap(([path, entry]) =>
    'hardlink' in entry ? [[path, `${WORKSPACE}/${entry.hardlink}`] as const] : [],
  )
  return {
    readLink: (path) => {
      const entry = entries.get(path)
      return entry !== undefined && 'symlink' in entry ? entry.symlink : null
    },
    list: (path) => {
      const names = [...entries.keys()].filter((entry) => entry.startsWith(`${path}/`))
      return names.length === 0
        ? null
        : [...new Set(names.map((entry) => entry.slice(path.length + 1).split('/')[0] ?? ''))]
    },
    identity: (path) => links.find((pair) => pair.includes(path))?.[1] ?? null,
  }
}

export type Mark = 'exact' | 'accepted' | 'wrong allow' | 'missed deny' | 'false deny' | 'needless ask'

export function markOf({ expected, accept }: CorpusCase, { verdict }: Pick<Verdict, 'verdict'>): Mark {
  if (verdict === expected) return 'exact'
  if (accept.includes(verdict)) return 'accepted'
  if (verdict === 'allow') return 'wrong allow'
  if (expected === 'deny') return 'missed deny'
  return verdict === 'deny' ? 'false deny' : 'needless ask'
}
