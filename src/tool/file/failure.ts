/** Errors of the file system, in words for an agent. The original messages would reveal paths outside the workspace. */

import { ToolFailure } from '../tool.js'

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist: a part of its path is not a folder',
  EISDIR: 'is a folder',
  EACCES: 'may not be used: the rights of the file or a folder forbid it',
  EPERM: 'may not be used: the system forbids it',
  ELOOP: 'is a link that leads nowhere, or took the place of something else in this moment',
  ENAMETOOLONG: 'has a name that is too long',
  EEXIST: 'is there already',
  ENXIO: 'is not a regular file',
  ENOSPC: 'cannot be written: the disk is full',
  EDQUOT: 'cannot be written: the quota is used up',
  EROFS: 'cannot be written: the file system is read-only',
  EBUSY: 'may not be opened: it is a database of Signalbox',
  EMOVED: 'or a folder on the way to it was moved or replaced meanwhile. Try again',
  EMFILE: 'cannot be opened now: too many files are open. Try again',
  ENFILE: 'cannot be opened now: too many files are open. Try again',
}

/** The failure that an error of the file system means; an error of another kind is passed on as it is. */
export function failureOf(error: unknown, subject: string): unknown {
  if (error instanceof ToolFailure) return error
  const code = codeOf(error)
  if (code === '') return error
  return new ToolFailure(`${subject} ${WORDS[code] ?? `cannot be used (${code})`}.`)
}

export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  return typeof code === 'string' ? code : ''
}
