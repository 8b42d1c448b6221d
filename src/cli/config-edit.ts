/** Changes settings in config.jsonc and leaves everything else of the file as it is, comments too. */

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser'
import { HubError } from '../protocol/error.js'

const FORMATTING = { formattingOptions: { insertSpaces: true, tabSize: 2 } }

export function readSettings(home: string): Record<string, unknown> {
  const value: unknown = parse(readText(home), [], { allowTrailingComma: true })
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** `undefined` removes a setting. */
export function editSettings(home: string, changes: Readonly<Record<string, unknown>>): void {
  let text = readText(home)
  const errors: ParseError[] = []
  parse(text, errors, { allowTrailingComma: true })
  const file = join(home, 'config.jsonc')
  if (errors.length > 0)
    throw new HubError('config_invalid', `Cannot change ${file}: it is not valid. Correct it first.`)
  for (const [name, value] of Object.entries(changes))
    text = applyEdits(text, modify(text, [name], value, FORMATTING))
  writeFileSync(`${file}.new`, text.endsWith('\n') ? text : `${text}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

function readText(home: string): string {
  const file = join(home, 'config.jsonc')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return text.trim() === '' ? '{}\n' : text
}
