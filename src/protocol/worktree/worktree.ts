/** Worktrees: sessions in a working tree of their own, beside that of the user. */

import { z } from 'zod'
import { Actor, Timestamp } from '../value.js'

/** A part of a branch and of a path. */
const WorktreeName = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9._-]{0,48}[a-z0-9])?$/i,
    'Expected 1 to 50 letters, digits, dots, dashes or underscores',
  )

/** Neither absolute nor with `.` or `..`, nor in `.git`. */
function isBelow(path: string): boolean {
  const names = path.toLowerCase().split('/')
  return names[0] !== '' && names[0] !== '.git' && !names.includes('.') && !names.includes('..')
}

/** A file or folder that git does not bring along, by its path in the repository. */
export const BroughtFile = z.strictObject({
  path: z.string().min(1).max(1_000).refine(isBelow, 'Expected a path in the repository'),
  /** A link shows the same files in both places; a copy is separate. */
  how: z.enum(['copy', 'link']),
})
export type BroughtFile = z.infer<typeof BroughtFile>

const preparation = {
  bring: z.array(BroughtFile).max(100),
  /** Run by `/bin/sh` in the worktree before the first message is sent. */
  setup: z.string().min(1).max(10_000),
}

export const WorktreeSettings = z.strictObject({
  /** Where worktrees are made; default: in `NAME.worktrees` beside the repository. */
  folder: z.string().startsWith('/').optional(),
  bring: preparation.bring.default([]),
  setup: preparation.setup.optional(),
  setupMinutes: z.number().min(0.01).max(600).default(10),
  /** Other files and another command for a repository, by its path. */
  repositories: z
    .record(
      z.string().startsWith('/'),
      z.strictObject({ bring: preparation.bring.optional(), setup: preparation.setup.optional() }),
    )
    .default({}),
})
export type WorktreeSettings = z.infer<typeof WorktreeSettings>

/** A new worktree for a session. */
export const NewWorktree = z.strictObject({
  /** Default: from the prompt. The branch is `signalbox/NAME`. */
  name: WorktreeName.optional(),
  /** The branch or commit to begin from; default: what is checked out. */
  base: z
    .string()
    .regex(/^[^-\s~^:?*[\\][^\s~^:?*[\\]{0,200}$/, 'Expected a branch or a commit')
    .optional(),
  bring: preparation.bring.optional(),
  setup: preparation.setup.optional(),
})
export type NewWorktree = z.infer<typeof NewWorktree>

/** The worktree of a session. */
export const SessionWorktree = z.strictObject({
  path: z.string(),
  /** The top of the repository's main working tree. */
  repository: z.string(),
  name: z.string(),
  branch: z.string(),
  /** The branch that it began from, or a commit. */
  base: z.string(),
})
export type SessionWorktree = z.infer<typeof SessionWorktree>

export interface MadeWorktree {
  worktree: SessionWorktree
  /** The folder in it that corresponds to the one that was asked for. */
  cwd: string
  /** Whether its repository is trusted, and so the worktree. */
  isTrusted: boolean
  /** The command that prepares it. */
  setup: string | null
}

/** A working tree of a repository. */
export const Worktree = z.strictObject({
  path: z.string(),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  /** The main working tree, which cannot be removed. */
  isMain: z.boolean(),
  /** Made by Signalbox. */
  isOurs: z.boolean(),
  base: z.string().nullable(),
  createdAt: Timestamp.nullable(),
})
export type Worktree = z.infer<typeof Worktree>

/** Work that would be lost with it, and the actions that are possible. */
export const WorktreeStatus = z.strictObject({
  ...SessionWorktree.shape,
  /** Files with changes that are not committed. */
  uncommitted: z.int().min(0),
  /** Commits that the base does not have, and commits of the base that it does not have. */
  ahead: z.int().min(0),
  behind: z.int().min(0),
  hasRemote: z.boolean(),
  /** Whether `gh` is installed, to open pull requests. */
  hasGh: z.boolean(),
})
export type WorktreeStatus = z.infer<typeof WorktreeStatus>

const worktreeActions = ['commit', 'merge', 'rebase', 'push', 'remove'] as const

export const ChangeWorktree = z.strictObject({
  action: z.enum(worktreeActions),
  /** Of a commit, and the title of a pull request. */
  message: z.string().min(1).max(10_000).optional(),
  /** `push`: also opens a pull request with the user's `gh`. */
  pullRequest: z.boolean().optional(),
  /** `remove`: although changes or commits would be lost. */
  force: z.boolean().optional(),
})
export type ChangeWorktree = z.infer<typeof ChangeWorktree>

export const WorktreeResult = z.strictObject({
  action: z.enum(worktreeActions),
  /** The output of git and gh. */
  output: z.string(),
  /** Of the pull request. */
  url: z.string().nullable(),
  /** Null after it was removed. */
  worktree: WorktreeStatus.nullable(),
})
export type WorktreeResult = z.infer<typeof WorktreeResult>

export const worktreeEvents = {
  created: { ...SessionWorktree.shape, by: Actor },
  changed: {
    action: z.enum(worktreeActions),
    branch: z.string(),
    base: z.string(),
    by: Actor,
    url: z.string().optional(),
  },
}
