/** The configuration files of git: passwords and tokens in them, such as in the URL of a remote, and listed settings. */

import { statSync } from 'node:fs'
import { readFile } from '../git/pack.js'

/**
 * `listed`: every setting is on a list of those without secrets. `include`: it names other files with settings.
 * `credentials`: it contains a password or token.
 */
export type GitSettings = 'listed' | 'other' | 'include' | 'credentials'

/** The names of such files, in a folder that also has a `HEAD`. */
export const GIT_CONFIGS: readonly string[] = ['config', 'config.worktree']

const MAX_BYTES = 256 * 1024

/** In a URL of HTTP even a user name alone is a token as a rule; that of SSH is not. */
const CREDENTIALS =
  /https?:\/\/[^/\s@"]+@|:\/\/[^/\s@:"]*:[^/\s@"]+@|extraheader|authorization|passw|pass\s*=|token|secret|api_?key/i
const INCLUDE = /\[\s*include/i

/** Settings that `git config --list` may show, by section. With `*` all of the section. */
const LISTED: Readonly<Record<string, string>> = {
  advice: '*',
  alias: '*',
  apply: 'whitespace',
  branch: 'remote merge rebase pushremote autosetupmerge autosetuprebase sort',
  color: '*',
  column: '*',
  commit: 'gpgsign template verbose cleanup status',
  core: `repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol editor pager
    excludesfile attributesfile quotepath worktree hookspath fsmonitor untrackedcache safecrlf whitespace compression longpaths
    preloadindex fscache abbrev commitgraph sparsecheckout sparsecheckoutcone`,
  credential: 'helper usehttppath',
  diff: '*',
  difftool: 'prompt',
  extensions: '*',
  fetch: '*',
  filter: 'clean smudge process required',
  format: 'pretty',
  gc: '*',
  gpg: 'format program',
  help: '*',
  http: 'sslverify postbuffer lowspeedlimit lowspeedtime version',
  index: '*',
  init: 'defaultbranch',
  lfs: 'repositoryformatversion',
  log: '*',
  merge: 'ff tool conflictstyle conflictstyle renamelimit stat log autostash defaulttoupstream',
  mergetool: 'prompt keepbackup',
  pack: '*',
  protocol: '*',
  pull: '*',
  push: '*',
  rebase: '*',
  receive: '*',
  remote: 'url pushurl fetch push prune tagopt gh-resolved mirror promisor partialclonefilter pushdefault',
  rerere: '*',
  safe: '*',
  status: '*',
  submodule: 'url active update branch recurse fetchjobs',
  tag: '*',
  transfer: '*',
  user: 'name email signingkey useconfigonly',
  versionsort: '*',
  worktree: '*',
}
/** Words, paths, formats and addresses: no query of a URL, no text in quotes that may hold anything. */
const PLAIN_VALUE = /^[\w .,:;%()=/<>*|^~{}@+!$&#-]*$/
/** A command of the shell may hold anything, except one that only names a program and its words. */
const COMMAND = /^![\w ./-]*[^\w ./-]/

function hasCredentials(text: string): boolean {
  return CREDENTIALS.test(text)
}

export function settingsIn(text: string): GitSettings {
  if (hasCredentials(text)) return 'credentials'
  if (INCLUDE.test(text)) return 'include'
  return areListed(text) ? 'listed' : 'other'
}

function areListed(text: string): boolean {
  let names: string | undefined
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue
    const header = /^\[([A-Za-z0-9-]+)(?: "([^"\\]*)")?\]$/.exec(line)
    if (header !== null) {
      const [, section = '', part = ''] = header
      names = namesOf(section)
      if (names === undefined || !PLAIN_VALUE.test(part)) return false
    } else if (names === undefined || !isListed(line, names)) return false
  }
  return true
}

/** Whether a setting, such as `remote.origin.url`, is on the list. */
export function isListedName(setting: string): boolean {
  const parts = setting.toLowerCase().split('.')
  const names = namesOf(parts[0] ?? '')
  return parts.length > 1 && names !== undefined && isAmong(parts.at(-1) ?? '', names)
}

function namesOf(section: string): string | undefined {
  const name = section.toLowerCase()
  return Object.hasOwn(LISTED, name) ? LISTED[name] : undefined
}

function isAmong(name: string, names: string): boolean {
  return names === '*' ? /^[a-z][a-z0-9-]*$/.test(name) : names.split(/\s+/).includes(name)
}

function isListed(line: string, names: string): boolean {
  const equals = line.indexOf('=')
  const name = (equals < 0 ? line : line.slice(0, equals)).trim().toLowerCase()
  const value = equals < 0 ? '' : line.slice(equals + 1).trim()
  return (
    isAmong(name, names) &&
    PLAIN_VALUE.test(value.replaceAll('"', '')) &&
    !COMMAND.test(value.replaceAll('"', ''))
  )
}

/** Null if there is no such file. Throws if it cannot be read. */
export function settingsAt(path: string): GitSettings | null {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null
  return settingsIn(readFile(path, MAX_BYTES).toString('utf8'))
}

export function isGitConfig(name: string, siblings: readonly string[]): boolean {
  return GIT_CONFIGS.includes(name) && siblings.includes('HEAD')
}
