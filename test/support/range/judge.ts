/** The policy's verdict on a command in the workspace of a range. */

import { CAREFUL, evaluate } from '../../../src/policy/evaluate.js'
import { createCallEnvironment } from '../../../src/policy/file/call-environment.js'
import type { FileSystem, Unseen } from '../../../src/policy/file/file-system.js'
import { nodeFileSystem } from '../../../src/policy/file/node-file-system.js'
import { prove } from '../../../src/policy/proof/prove.js'
import type { Range } from './range.js'
import { RANGE_HOME, RANGE_WORKSPACE } from './root.js'

/** Says whether a command is allowed without a question. */
export type Judge = (command: string) => boolean

/** `change`: another view of the files, for a checker with a hole. */
export function judgeFor(
  { root }: Pick<Range, 'root'>,
  change: (fs: FileSystem) => FileSystem = (fs) => fs,
): Judge {
  const files = rememberedFiles(root)
  return (command) => {
    const fs = change(files())
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
  const files = rememberedFiles(root)
  return (command) =>
    prove(command, createCallEnvironment({ cwd: RANGE_WORKSPACE, home: RANGE_HOME, fs: files() })).isProven
}

const QUESTIONS = [
  'readLink',
  'list',
  'entries',
  'identity',
  'repository',
  'negations',
  'gitSettings',
] as const

/**
 * The files of the range by the names that they have inside of it. Nothing in it changes, so answers are kept; what could
 * not be answered is noted for each verdict anew.
 */
export function rememberedFiles(root: string): () => FileSystem {
  const known = new Map<string, { answer: unknown; unseen: Unseen | null }>()
  const ask = (question: (typeof QUESTIONS)[number], path: string) => {
    const key = `${question} ${path}`
    const before = known.get(key)
    if (before !== undefined) return before
    const fs = nodeFileSystem()
    const found = { answer: fs[question](root + path), unseen: fs.unseen() }
    known.set(key, found)
    return found
  }
  return () => {
    let unseen: Unseen | null = null
    const entries = QUESTIONS.map((question) => [
      question,
      (path: string) => {
        const found = ask(question, path)
        unseen ??= found.unseen
        return found.answer
      },
    ])
    // Every question is about one path and has the same form.
    return { ...Object.fromEntries(entries), unseen: () => unseen } as FileSystem
  }
}
