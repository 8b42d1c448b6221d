/** `signalbox policy check`: the verdict of the policy on a call, or on each of a list. Needs no daemon and runs nothing. */

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import type { PolicyCall } from '../../../policy/call.js'
import { evaluate } from '../../../policy/evaluate.js'
import { explain } from '../../../policy/explain.js'
import { nodeFileSystem } from '../../../policy/file/node-file-system.js'
import { PlacedFiles, placedFiles } from '../../../policy/file/placed-files.js'
import type { PolicyResolver } from '../../../policy/source/effective-policy.js'
import { permissionModes } from '../../../protocol/choice.js'
import { HubError } from '../../../protocol/error.js'
import { Preset, type Verdict } from '../../../protocol/policy/policy.js'
import { PermissionMode } from '../../../protocol/value.js'
import { readChoice } from '../../command-options.js'
import { EXIT } from '../../exit-code.js'
import type { Terminal } from '../../output/terminal.js'
import { openBook, verdictText } from './policy.js'

export interface CheckOptions {
  home?: string
  json?: boolean
  tool?: string
  input?: string
  file?: string
  cwd?: string
  mode?: string
  policy?: string
  jail?: boolean
}

/** A case of a list. Omitted fields come from the flags. */
const Case = z.looseObject({
  id: z.string().optional(),
  tool: z.string(),
  input: z.unknown(),
  cwd: z.string().optional(),
  /** The home of the user, for `~` and `$HOME`. */
  home: z.string().optional(),
  mode: PermissionMode.optional(),
  policy: Preset.optional(),
  agent: z.string().optional(),
  jail: z.boolean().optional(),
  /** Files that are taken to be in the folder. */
  fs: PlacedFiles.optional(),
})

export async function check(options: CheckOptions, terminal: Terminal): Promise<number> {
  const book = openBook(options, options.policy)
  const mode = readChoice('--mode', options.mode ?? 'default', permissionModes)
  const cwd = resolve(options.cwd ?? process.cwd())
  if (options.file !== undefined) {
    for (const item of readCases(options.file))
      terminal.json(judgeCase(item, { book, mode, cwd, jail: options.jail === true }))
    return EXIT.done
  }
  if (options.tool === undefined || options.input === undefined)
    throw new HubError(
      'request_invalid',
      'Nothing to check. Pass --tool and --input, or --file with a list of calls.',
    )
  const call = {
    tool: options.tool,
    input: readInput(options.input),
    mode,
    cwd,
    home: homedir(),
    jail: options.jail === true,
    now: new Date().toISOString(),
    fs: nodeFileSystem(),
  }
  const { verdict, findings } = explain(call, book.at({ workspace: cwd, isTrusted: true, preset: null }))
  if (options.json) {
    terminal.json({ ...verdict, findings })
    return EXIT.done
  }
  terminal.out(`${verdictText(verdict).join('\n')}\n`)
  return EXIT.done
}

function judgeCase(
  item: unknown,
  { book, mode, cwd: here, jail }: { book: PolicyResolver; mode: PermissionMode; cwd: string; jail: boolean },
): { id?: string } & Verdict {
  const parsed = Case.safeParse(item)
  const given = parsed.success ? parsed.data : null
  const cwd = given?.cwd ?? here
  const call: PolicyCall = {
    tool: given?.tool ?? '',
    input: given?.input,
    mode: given?.mode ?? mode,
    agent: given?.agent ?? null,
    cwd,
    home: given?.home ?? homedir(),
    jail: given?.jail ?? jail,
    now: new Date().toISOString(),
    fs: given?.fs === undefined ? nodeFileSystem() : placedFiles(given.fs, cwd),
  }
  const policy = book.at({ workspace: cwd, isTrusted: true, preset: given?.policy ?? null })
  return { ...(given?.id !== undefined && { id: given.id }), ...evaluate(call, policy) }
}

function readInput(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new HubError('request_invalid', 'Invalid --input. Use JSON, such as \'{"command":"ls"}\'.')
  }
}

function readCases(path: string): unknown[] {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path === '-' ? 0 : path, 'utf8'))
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new HubError('request_invalid', `Cannot read the calls in ${path}: ${problem}`, {}, { cause })
  }
  if (Array.isArray(value)) return value
  throw new HubError('request_invalid', `${path} does not contain a JSON list of calls.`)
}
