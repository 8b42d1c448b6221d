/** Commands whose output would be another one in the jail. */

import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { type Reason, reason } from '../protocol/reason/reason.js'
import { isInSystem } from './view/system-folder.js'

/**
 * Programs that report processes, network, users or mounts of the machine, which the jail hides. Never one
 * that prints variables: those of the session are kept from commands, not only from the jail.
 */
const ABOUT_THE_HOST = new Set(
  `ps pgrep pidof pstree top htop ss netstat lsof fuser ip ifconfig route arp df mount findmnt lsblk blkid who w users
  last lastlog id groups getent ulimit systemctl journalctl dmesg docker podman kubectl tty lsmod loginctl crontab
  nvidia-smi whoami logname flock stat vmstat`.split(/\s+/),
)
/** Words, quotes, lists, pipes and patterns: text in which bash finds nothing to expand but names of files. */
const PLAIN_TEXT = /^[\w\s.,:@%+=/"'|;&*?!~^-]*$/
const PLAIN_FORMS =
  /(?<=^|[\s;&|])\[\[?(?=\s)|(?<=\s)\]\]?(?=$|[\s;&|])|\b2>&1(?=$|[\s;&|])|[12&]?> ?\/dev\/null(?=$|[\s;&|])/g
/**
 * Tests of a file beyond its name and content. In the jail nothing is writable, a hidden file has no size and no rights,
 * and root has another number.
 */
const ABOUT_FILES: Readonly<Record<string, RegExp>> = {
  '[': /^-[wOGsNpSbcku]$/,
  '[[': /^-[wOGsNpSbcku]$/,
  test: /^-[wOGsNpSbcku]$/,
  find: /^-(?:writable|empty|size|uid|gid|user|group|nouser|nogroup|perm|printf|fprintf|ls|[acm]?newer\w*|[acm](?:min|time)|readable|executable)$/,
  ls: /^-[a-zA-Z]*[lnogsStcu]|^--(?:size|sort|time|full-time|numeric)/,
  du: /^/,
  tree: /^-[a-zA-Z]*[spugDh]|^--du/,
}
/** They print their words or facts of the machine, or change the folder: nothing in them names a file that is read. */
const WITHOUT_FILES = new Set(
  'echo printf true false : cd pwd uname uptime free nproc arch hostname sleep'.split(' '),
)
/**
 * Filters of what comes in, and their options; a value is attached, or a number or a word that can be no file that matters.
 * Beside these words there is none that could name a file.
 */
const FILTERS: Readonly<Record<string, RegExp>> = {
  head: /^(?:-\d+|-[nc]\d*|\d+)$/,
  tail: /^(?:-\d+|-[nc]\+?\d*|\+?\d+)$/,
  wc: /^-[lwcm]+$/,
  sort: /^(?:-[bdfghiMnrRVsu]+|-[nrhuV]*k\d*(?:,\d+)?[a-zA-Z]*|\d+(?:,\d+)?[a-zA-Z]*)$/,
  uniq: /^-[cdiu]+$/,
  cut: /^(?:-[fcb][\d,-]*|[\d,-]+|-d.?|[^\w./])$/,
  tr: /^/,
  nl: /^$/,
  tac: /^$/,
  rev: /^$/,
  cat: /^$/,
  column: /^-t$/,
}
/** Options of grep that neither take a value nor reach a file. */
const GREP_OPTION = /^-[EFivwxconqs]+$/
/** Actions of find that run programs or change files. */
const FIND_ACTION = /^-(?:exec|ok|delete|fprint|fls)/

/** Functions of the CLI's shell; the jail has them as well. */
const OF_THE_CLI = new Set(['find', 'grep', 'rg'])

/**
 * Why a command cannot run in the jail as it would outside; null if it can. Only what is proven harmless and plain text
 * runs outside then, and only if each of its commands reports about the machine or filters what another one prints:
 * where anything is expanded or read beside it, a wrong proof must not cost more than another view of the host.
 */
export function programObstacle(
  text: string,
  commands: readonly (readonly string[])[],
  path: string | undefined,
  isProven: boolean,
): Reason | null {
  const mayRunOutside = isProven && isPlainText(text) && commands.every(isForOutside)
  const telling = mayRunOutside ? commands.find(tellsMore) : undefined
  if (telling !== undefined) return reason('jail.about-machine', { program: telling[0] ?? '' })
  const missing = commands.find(([name = '']) => !OF_THE_CLI.has(name) && isElsewhere(name, path))
  return missing === undefined ? null : reason('jail.program-missing', { program: missing[0] ?? '' })
}

function isForOutside(command: readonly string[]): boolean {
  const [name = '', ...words] = command
  if (name === 'find' && words.some((word) => FIND_ACTION.test(word))) return false
  if (tellsMore(command) || WITHOUT_FILES.has(name)) return true
  if (name === 'grep' || name === 'egrep' || name === 'fgrep') {
    const rest = words.filter((word) => !GREP_OPTION.test(word))
    return rest.length === 1 && !rest[0]?.startsWith('-')
  }
  const option = FILTERS[name]
  return option !== undefined && words.every((word) => option.test(word))
}

/** Whether the output of any of them may be another one in the jail. */
export function differsInJail(commands: readonly (readonly string[])[]): boolean {
  return commands.some(tellsMore)
}

/** Whether any of them asks about what the jail does not have: the machine beyond its files, and its variables. */
export function asksAboutHost(text: string, commands: readonly (readonly string[])[]): boolean {
  return VARIABLE.test(text) || commands.some(isAboutHost)
}

/** As variables of the environment are named. */
const VARIABLE = /\$\{?[A-Z][A-Z_]/

/** Nothing in it is expanded but names of files. */
export function isPlainText(text: string): boolean {
  return PLAIN_TEXT.test(text.replaceAll(PLAIN_FORMS, ''))
}

function tellsMore([name = '', ...words]: readonly string[]): boolean {
  const option = ABOUT_FILES[name]
  if (option === undefined) return isAboutHost([name, ...words])
  return words.length === 0 ? option.test('') : words.some((word) => option.test(word))
}

function isAboutHost([name = '', ...words]: readonly string[]): boolean {
  // Settings of the user, in files of the home.
  if (name === 'git') return words[0] === 'config' || words[0] === 'var'
  return ABOUT_THE_HOST.has(name)
}

/** The program that a shell would start for this name, as a real path; null if it finds none. */
function programOf(name: string, path: string | undefined): string | null {
  if (!/^[\w.+-]+$/.test(name)) return null
  const folder = (path ?? '').split(':').find((candidate) => existsSync(join(candidate, name)))
  try {
    return folder === undefined ? null : realpathSync(join(folder, name))
  } catch {
    return null
  }
}

/** Whether the shell would find the program in a folder that the jail does not have. */
function isElsewhere(name: string, path: string | undefined): boolean {
  const program = programOf(name, path)
  return program !== null && !isInSystem(program)
}
