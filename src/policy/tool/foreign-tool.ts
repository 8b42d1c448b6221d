/**
 * Foreign tools (`mcp__*`) and unknown ones: never allowed automatically, and denied the same effects as every tool.
 */

import { asRecord, asText, asTexts } from '../../lib/read-json.js'
import { spend } from '../../lib/step-budget.js'
import { wordsOf } from '../../lib/text/split-words.js'
import { reason } from '../../protocol/reason/reason.js'
import type { CallEnvironment } from '../file/call-environment.js'
import type { Access } from '../file/file-access.js'
import { isTooLong } from '../file/path.js'
import type { Finding } from '../finding.js'
import { readShell } from '../shell/read-shell.js'
import type { PathUse } from '../shell/shell-report.js'
import { ask, judgePath, usedUp } from './judge-path.js'
import type { ToolFindings } from './tool-findings.js'

export function judgeForeignTool(tool: string, input: unknown, environment: CallEnvironment): ToolFindings {
  const findings: Finding[] = [ask('tool', reason('tool.no-rule', { tool }))]
  const uses: PathUse[] = []
  try {
    judgeEntries(tool, input, environment, { findings, uses })
  } catch (error) {
    findings.push(usedUp(error))
  }
  return { findings, uses, shell: null }
}

function judgeEntries(
  tool: string,
  input: unknown,
  environment: CallEnvironment,
  { findings, uses }: { findings: Finding[]; uses: PathUse[] },
): void {
  const name = tool.slice(tool.lastIndexOf('__') + (tool.includes('__') ? 2 : 0))
  spend(name.length)
  const words = wordsOf(name)
  const entries = entriesOf(input)
  const access = accessOf(words, entries)
  for (const entry of entries) {
    if (!isPath(entry)) continue
    const judged = judgePath(access, entry.text, environment, { isRecursive: access === 'delete' })
    findings.push(...judged.findings)
    uses.push(...judged.targets.map((target) => ({ access, target, command: null })))
  }
  const readText = (text: string) => {
    const report = readShell(text, environment)
    findings.push(...report.findings)
    uses.push(...report.uses.map((use) => ({ ...use, command: null })))
  }
  if (words.some((word) => SHELL_WORDS.has(word))) {
    const joined = joinedCommand(asRecord(input))
    for (const { key, text } of entries) {
      // Arguments of a program are not commands of their own.
      const isWord = joined !== null && /^arg/i.test(key)
      if (COMMAND_KEYS.test(key) && !isWord) readText(text)
    }
    if (joined !== null) readText(joined)
  }
}

/** A program and its arguments, given in separate fields. */
function joinedCommand(input: Readonly<Record<string, unknown>>): string | null {
  const program = asText(input['command'] ?? input['cmd'] ?? input['program'] ?? input['executable'])
  const words = asTexts(input['args'] ?? input['argv'] ?? input['arguments'])
  if (program === null || words.length === 0) return null
  const quoted = words.slice(0, 100).map((word) => `'${word.replaceAll("'", "'\\''")}'`)
  return [program, ...quoted].join(' ')
}

interface Entry {
  key: string
  text: string
}

const MAX_ENTRIES = 300

/** Every text in the input with the key that it is found under; keys that look like paths count as texts. */
function entriesOf(input: unknown): Entry[] {
  const found: Entry[] = []
  const waiting: { key: string; value: unknown; depth: number }[] = [{ key: '', value: input, depth: 0 }]
  for (let item = waiting.pop(); item !== undefined && found.length < MAX_ENTRIES; item = waiting.pop()) {
    const { key, value, depth } = item
    spend(5)
    if (typeof value === 'string') found.push({ key, text: value })
    if (typeof value !== 'object' || value === null || depth > 6) continue
    if (Array.isArray(value)) {
      const texts = value.filter((part) => typeof part === 'string')
      if (COMMAND_KEYS.test(key) && texts.length === value.length) found.push({ key, text: texts.join(' ') })
      for (const part of value.slice(0, 100)) waiting.push({ key, value: part, depth: depth + 1 })
      continue
    }
    for (const [name, part] of Object.entries(value).slice(0, 100)) {
      if (/[./\\]/.test(name)) found.push({ key: 'path', text: name })
      waiting.push({ key: name, value: part, depth: depth + 1 })
    }
  }
  return found
}

/** The end of a key is enough to classify it. */
const MAX_KEY = 100
const PATH_KEYS =
  /(?:^|_|-)(?:path|paths|file|files|filename|filepath|uri|dir|directory|folder|notebook)$|(?:Path|Paths|File|Files|Uri|Dir|Directory|Folder)$|^file_?name$/i
const TEXT_KEYS =
  /^(?:content|contents|text|body|title|description|message|query|pattern|prompt|comment|summary|label|labels|reason|note|notes|q|search|subject|regex|old_?string|new_?string|oldText|newText|code|sql|html|markdown|data|value|command|cmd|script)$/i

function isPath({ key, text }: Entry): boolean {
  if (text === '' || text.includes('\n') || TEXT_KEYS.test(key)) return false
  if (/^[a-z][\w+.-]*:\/\//i.test(text) && !/^file:/i.test(text)) return false
  // A path key counts at any length, so that the policy asks about a path that is too long. Other long texts are not
  // paths.
  return PATH_KEYS.test(key.slice(-MAX_KEY)) || (!isTooLong(text) && !/\s/.test(text) && /[./\\]/.test(text))
}

const COMMAND_KEYS = /^(?:command|commands|cmd|script|shell|code|args|argv|arguments|input)$/i
const SHELL_WORDS = new Set(
  'shell bash sh exec execute run terminal command commands process ssh cmd zsh powershell spawn eval'.split(
    ' ',
  ),
)

const WRITES = new Set(
  `write save create edit delete remove move rename copy put append update set replace patch apply insert modify truncate
  chmod chown touch store overwrite add commit sync rm mv cp unlink clear reset rotate restore revert trash erase wipe link
  symlink mkdir encrypt decrypt make new change format fix generate download extract unzip upsert destroy drop`.split(
    /\s+/,
  ),
)
const SENDS = new Set('upload send attach push share email post publish export mail transmit'.split(' '))
const DELETES = new Set('delete remove rm unlink trash erase wipe clear destroy drop purge'.split(' '))
const COPIES = new Set('copy cp duplicate clone backup archive zip compress'.split(' '))
const CONTENT_KEYS =
  /^(?:content|contents|text|data|body|new_?string|newText|edits|patch|diff|value|changes|lines)$/i

/**
 * The probable access to the paths in the input: by the name of the tool, or because the input has content to write.
 */
function accessOf(words: readonly string[], entries: readonly Entry[]): Access {
  const has = (set: ReadonlySet<string>) => words.some((word) => set.has(word))
  if (has(SENDS)) return 'send'
  if (has(DELETES)) return 'delete'
  if (words.some((word) => /^(?:directory|folder|dir|mkdir)$/.test(word)) && has(WRITES)) return 'make'
  if (has(COPIES)) return 'copy'
  if (has(WRITES)) return 'write'
  const isReader = words.some((word) => READS.has(word))
  return !isReader && entries.some(({ key }) => CONTENT_KEYS.test(key)) ? 'write' : 'read'
}

const READS = new Set(
  `read get list search find stat info view show fetch query describe open cat head tail tree ls exists glob grep diff
  status log check lookup count inspect preview load`.split(/\s+/),
)
