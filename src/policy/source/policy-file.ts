/** Policy files: JSON with comments. A missing file has no rules; an unreadable one is an error. */

import { mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { z } from 'zod'
import { isMissingFile, readSmallFileSync } from '../../lib/file/regular-file.js'
import { HubError } from '../../protocol/error.js'
import type { PolicyFile } from '../../protocol/policy/policy-body.js'
import { changePolicyText } from './policy-text.js'

/** Cached: reads a file again only when it has changed. */
export function createPolicyFileReader<Schema extends z.ZodType>(
  schema: Schema,
): (path: string) => z.output<Schema> | null {
  const known = new Map<string, { stamp: string; content: z.output<Schema> }>()
  return (path) => {
    const stamp = stampOf(path)
    if (stamp === null) return null
    const before = known.get(path)
    if (before?.stamp === stamp) return before.content
    const content = readPolicyFile(path, schema)
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(path, { stamp, content })
    return content
  }
}

const MAX_KNOWN = 500
/** Enough for a thousand rules with long explanations. */
const MAX_BYTES = 4 * 1024 * 1024

function stampOf(path: string): string | null {
  try {
    const { mtimeMs, size, ino } = statSync(path)
    return `${mtimeMs} ${size} ${ino}`
  } catch (error) {
    if (isMissingFile(error)) return null
    throw unusable(path, error instanceof Error ? error.message : String(error))
  }
}

export function readPolicyFile<Schema extends z.ZodType>(path: string, schema: Schema): z.output<Schema> {
  let text: string
  try {
    text = readSmallFileSync(path, MAX_BYTES).toString('utf8')
  } catch (error) {
    throw unusable(path, error instanceof Error ? error.message : String(error))
  }
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error) {
    const line = text.slice(0, error.offset).split('\n').length
    throw unusable(path, `${printParseErrorCode(error.error)} in line ${line}.`)
  }
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw unusable(path, z.prettifyError(result.error))
}

/** Atomic: a concurrent reader sees the old file or the new one. Comments are kept where possible. */
export function writePolicyFile(path: string, policy: PolicyFile): void {
  mkdirSync(dirname(path), { recursive: true })
  const draft = `${path}.new`
  writeFileSync(draft, changePolicyText(readIfThere(path), policy), { mode: 0o600 })
  renameSync(draft, path)
}

function readIfThere(path: string): string | null {
  try {
    return readSmallFileSync(path, MAX_BYTES).toString('utf8')
  } catch {
    return null
  }
}

function unusable(path: string, problem: string): HubError {
  return new HubError('policy_invalid', `The file ${path} cannot be used: ${problem}`, { path })
}
