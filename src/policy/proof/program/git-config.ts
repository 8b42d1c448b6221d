/** `git config` and `git remote`: only settings without a password or token are shown. */

import { reason } from '../../../protocol/reason/reason.js'
import { type GitSettings, isListedName } from '../../file/git-settings.js'
import { type Context, literalOf } from '../context.js'
import type { Arguments } from '../option.js'
import type { Field } from '../place.js'
import { refuse } from '../unproven.js'
import type { Found } from './git-repository.js'

/** Sections without secrets; others may have some, such as headers with a token or aliases with commands. */
const SECTIONS = new Set(
  'user core remote branch init pull push merge diff color rebase fetch commit tag log status format gpg'.split(
    ' ',
  ),
)
/** Their values may be URLs. */
const WITH_URLS = new Set(['remote', 'branch', 'push'])
const LISTS = ['-l', '--list', '--get-regexp']

/** Settings of the user, besides those of the repository. */
const USER_SETTINGS = ['.gitconfig', '.config/git/config']
const SYSTEM_SETTINGS = ['/etc/gitconfig', '/usr/local/etc/gitconfig', '/opt/homebrew/etc/gitconfig']

export function checkConfig(read: Arguments, found: Found | null, context: Context): void {
  const { flags, operands } = read
  if (LISTS.some((flag) => flags.has(flag))) return checkList(read, found, context)
  for (const field of operands) checkSetting(field, found, context)
}

/** All settings of the repository: each of them must be listed. Those of the user are in files that are not known. */
function checkList({ flags, operands }: Arguments, found: Found | null, context: Context): void {
  const { program, at } = context
  const [pattern, ...others] = operands
  const isPattern = flags.has('--get-regexp')
  if (others.length > 0 || isPattern !== (pattern !== undefined))
    refuse(reason('proof.argument', { program }), at)
  if (pattern !== undefined) literalOf(pattern, program)
  if (found === null || !flags.has('--local') || flags.has('--global') || flags.has('--system'))
    refuse(reason('proof.only-with', { program: `${program} --list`, option: '--local' }), at)
  if (!found?.repository.settings().every((settings) => settings === 'listed'))
    refuse(reason('proof.git-setting', { setting: '.git/config' }), at)
}

function checkSetting(field: Field, found: Found | null, context: Context): void {
  const text = literalOf(field, 'git')
  const [section = ''] = text.toLowerCase().split('.')
  if (!/^[A-Za-z0-9.-]+$/.test(text) || !SECTIONS.has(section) || !isListedName(text))
    refuse(reason('proof.git-setting', { setting: text }), field.at)
  if (WITH_URLS.has(section)) checkRemotes(found, context)
}

/** The URL of a remote comes from any of these files; one that names another file may come from anywhere. */
export function checkRemotes(found: Found | null, { places, at }: Context): void {
  const { fs, home } = places.environment
  const others = [...USER_SETTINGS.map((name) => `${home}/${name}`), ...SYSTEM_SETTINGS]
  const own = found?.repository.settings() ?? []
  if (own.some(mayHoldCredentials)) refuse(reason('proof.git-credentials', { path: '.git/config' }), at)
  for (const path of others)
    if (mayHoldCredentials(fs.gitSettings(path))) refuse(reason('proof.git-credentials', { path }), at)
}

function mayHoldCredentials(settings: GitSettings | null): boolean {
  return settings === 'credentials' || settings === 'include'
}
