/** How this program was called, so that the commands in its hints work where they are shown. */

import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, join, relative } from 'node:path'
import { homePath } from '../home.js'

export interface Call {
  /** The script, as `process.argv[1]` has it. */
  script: string
  cwd: string
  env: Readonly<Record<string, string | undefined>>
}

/** `signalbox` where the PATH finds this program, `npx signalbox` for a local installation, otherwise `node` and the file. */
export function commandOf({ script, cwd, env }: Call): string {
  if (isOnPath(script, env['PATH'] ?? '')) return 'signalbox'
  if (env['npm_command'] === 'exec') return 'npx signalbox'
  const near = relative(cwd, script)
  return `node ${quoted(near.startsWith('..') ? script : near)}`
}

function isOnPath(script: string, path: string): boolean {
  const own = realOf(script)
  return path
    .split(delimiter)
    .filter((folder) => folder.startsWith('/'))
    .some((folder) => {
      const file = join(folder, 'signalbox')
      return realOf(file) === own && isExecutable(file)
    })
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** For a shell. */
export function quoted(word: string): string {
  return /^[\w./@%+=:,~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

let known: string | null = null

/** For a user in the folder of this process. */
export function ownCommand(): string {
  known ??= commandOf({ script: process.argv[1] ?? '', cwd: process.cwd(), env: process.env })
  return known
}

/** For a user in any folder, as the dashboard shows it: with the home, unless it is the default of commands. */
export function ownCommandAnywhere(home: string, env: Readonly<Record<string, string | undefined>>): string {
  const command = commandOf({ script: process.argv[1] ?? '', cwd: '/nowhere', env })
  return home === homePath(undefined, env) ? command : `SIGNALBOX_HOME=${quoted(home)} ${command}`
}

/**
 * A text of ours with its commands, in quotes or behind a colon at the end of a line, as they work here: with the way in
 * which this program was called, and with its `--home`.
 */
export function hint(text: string, command = ownCommand(), words: readonly string[] = process.argv): string {
  if (!text.includes('signalbox ')) return text
  const home = homeOption(words)
  return text
    .replaceAll(/"signalbox ([^"]*)"/g, (_, rest: string) => `"${command} ${rest}${home}"`)
    .split('\n')
    .map((line) => {
      const at = line.indexOf(BEHIND_COLON)
      return at < 0 ? line : `${line.slice(0, at)}: ${command} ${line.slice(at + BEHIND_COLON.length)}${home}`
    })
    .join('\n')
}

const BEHIND_COLON = ': signalbox '

function homeOption(words: readonly string[]): string {
  const joined = words.find((word) => word.startsWith('--home='))?.slice('--home='.length)
  const at = words.indexOf('--home')
  const home = joined ?? (at < 0 ? undefined : words[at + 1])
  return home === undefined ? '' : ` --home ${quoted(home)}`
}
