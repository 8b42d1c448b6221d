/** Installs the lifecycle hook in Claude Code's settings, and uninstalls it. Idempotent. */

import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../lib/sqlite/driver.js'
import type { HookScope } from '../../protocol/terminal/hook-status.js'
import { HOOK_NAME, HOOK_POINTS, isOlderHook, isUpToDate, nameOfPoint, olderPoints } from './hook-entry.js'
import { placeLink, removeLink } from './hook-link.js'
import { digestOfBytes, hasRecords, readRecord, removeRecord, writeRecord } from './install-record.js'
import { placePlugin, pluginFolder, removePlugin } from './plugin.js'
import { type ProducerKind, placeProducer } from './producer.js'
import { checkSettings } from './settings-check.js'
import { readSettingsFile, replaceSettingsFile, type SettingsFile, whyNotWritable } from './settings-file.js'
import { addHooks, removeHooks } from './settings-text.js'

export type Scope = HookScope

export interface InstallPlace {
  /** Claude Code's folder: `~/.claude`, or `CLAUDE_CONFIG_DIR`. */
  claudeFolder: string
  /** Folder of the hook and of the installation records. */
  home: string
  scope: Scope
  /** The project folder, for the scopes `project` and `local`. */
  cwd: string
}

export interface InstallOptions extends InstallPlace {
  /** Installs as a plugin folder instead of in the settings. */
  asPlugin?: boolean
  /** Whether requests of terminals can be answered remotely. */
  remote?: boolean
  /** Removes hooks of an older version from the settings file. Uninstalling does not restore them. */
  replacesOlder?: boolean
  dryRun?: boolean
  now: number
}

export type Step =
  | { readonly kind: 'linked'; readonly link: string; readonly target: string; readonly form: ProducerKind }
  | { readonly kind: 'merged'; readonly path: string; readonly hooks: readonly string[] }
  | { readonly kind: 'plugin_written'; readonly path: string; readonly hooks: readonly string[] }
  | { readonly kind: 'unchanged'; readonly path: string }
  | { readonly kind: 'restored'; readonly path: string; readonly isExact: boolean }
  | { readonly kind: 'removed'; readonly path: string }
  /** Hooks of an older version, left in place or removed. */
  | {
      readonly kind: 'older_found' | 'older_removed'
      readonly scope: Scope
      readonly path: string
      readonly hooks: readonly string[]
    }
  /** A file that was not changed, and why. */
  | { readonly kind: 'refused'; readonly path: string; readonly problem: string }

const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf'
const ATTEMPTS = 5

export function settingsPathOf({ claudeFolder, scope, cwd }: Omit<InstallPlace, 'home'>): string {
  if (scope === 'user') return join(claudeFolder, 'settings.json')
  return join(cwd, '.claude', scope === 'project' ? 'settings.json' : 'settings.local.json')
}

export function linkPathOf(claudeFolder: string): string {
  return join(claudeFolder, 'hooks', HOOK_NAME)
}

export async function installHooks(options: InstallOptions): Promise<Step[]> {
  return withLock(options.home, () => (options.asPlugin ? installPlugin(options) : installSettings(options)))
}

function installSettings(options: InstallOptions): Step[] {
  const { claudeFolder, home, dryRun = false } = options
  const link = linkPathOf(claudeFolder)
  const steps: Step[] = []
  const merged = mergeSettings(options, link, true)
  if (merged.kind === 'refused') return [merged]
  // Settings and plugin together would write every line twice.
  if (existsSync(pluginFolder(claudeFolder))) {
    if (!dryRun) removePlugin(claudeFolder)
    steps.push({ kind: 'removed', path: pluginFolder(claudeFolder) })
  }
  steps.push(...handleOlder(options))
  if (dryRun) return [...steps, merged]
  // Order: place the hook first, because settings must never name a missing file.
  const { kind: form, path: target } = placeProducer(home)
  placeLink(link, target)
  steps.push({ kind: 'linked', link, target, form })
  return [...steps, mergeSettings(options, link, false)]
}

function mergeSettings(options: InstallOptions, link: string, dryRun: boolean): Step {
  const { home, now, remote = true } = options
  const path = settingsPathOf(options)
  const hooks = HOOK_POINTS.map(nameOfPoint)
  return change(path, dryRun, (file, text) => {
    const command = {
      command: bytesOf(link),
      home: remote ? bytesOf(home) : null,
    }
    const old = readRecord(home, file.path)
    if (isUpToDate(parse(text), command)) {
      return { step: { kind: 'unchanged', path } }
    }
    return {
      text: addHooks(removeHooks(text), HOOK_POINTS, command),
      step: { kind: 'merged', path, hooks },
      done: (bytes, mark) => {
        // After a second installation (by a newer version) uninstalling still restores the file as before the first.
        const isOurs = old !== null && file.bytes !== null && digestOfBytes(file.bytes) === old.after
        const clean = Buffer.from(mark + removeHooks(text), 'latin1').toString('base64')
        const before = isOurs ? old.before : file.bytes && clean
        const after = digestOfBytes(bytes)
        writeRecord(home, {
          settingsPath: file.path,
          before,
          after,
          installedAt: new Date(now).toISOString(),
        })
      },
    }
  })
}

function installPlugin(options: InstallOptions): Step[] {
  const { claudeFolder, home, scope, remote = true, dryRun = false } = options
  const folder = pluginFolder(claudeFolder)
  const hooks = HOOK_POINTS.map(nameOfPoint)
  if (scope !== 'user') {
    return [
      { kind: 'refused', path: folder, problem: 'A plugin folder is for all projects: leave --scope out.' },
    ]
  }
  const older = handleOlder(options)
  if (dryRun) return [...older, { kind: 'plugin_written', path: folder, hooks }]
  const { kind: form, path: target } = placeProducer(home)
  const changed = placePlugin(claudeFolder, target, remote ? home : null)
  const steps: Step[] = changed
    ? [
        { kind: 'linked', link: changed.link, target, form },
        { kind: 'plugin_written', path: folder, hooks },
      ]
    : [{ kind: 'unchanged', path: folder }]
  // Settings and plugin together would write every line twice.
  const taken = uninstallSettings(options)
  return [...taken.filter((step) => step.kind !== 'unchanged'), ...older, ...steps]
}

/** Hooks of an older version write additional lines. They are removed on request, otherwise reported. */
function handleOlder(options: InstallOptions): Step[] {
  const { replacesOlder = false, dryRun = false, scope } = options
  const path = settingsPathOf(options)
  const step = change(path, dryRun, (_, text) => {
    const hooks = olderPoints(parse(text))
    if (hooks.length === 0) return { step: { kind: 'unchanged', path } }
    if (!replacesOlder) return { step: { kind: 'older_found', scope, path, hooks } }
    return { text: removeHooks(text, isOlderHook), step: { kind: 'older_removed', scope, path, hooks } }
  })
  return step.kind === 'unchanged' ? [] : [step]
}

type UninstallOptions = Omit<InstallOptions, 'asPlugin' | 'remote' | 'replacesOlder'>

export async function uninstallHooks(options: UninstallOptions): Promise<Step[]> {
  return withLock(options.home, () => {
    const folder = pluginFolder(options.claudeFolder)
    const steps = uninstallSettings(options)
    if (options.scope === 'user' && existsSync(folder)) {
      if (!options.dryRun) removePlugin(options.claudeFolder)
      return [...steps.filter((step) => step.kind !== 'unchanged'), { kind: 'removed', path: folder }]
    }
    return steps
  })
}

function uninstallSettings(options: UninstallOptions): Step[] {
  const { claudeFolder, home, dryRun = false } = options
  const path = settingsPathOf(options)
  const record = readRecord(home, readSettingsFile(path).path)
  const link = linkPathOf(claudeFolder)
  const step = change(path, dryRun, (file, text) => {
    const isAsLeft = record !== null && file.bytes !== null && digestOfBytes(file.bytes) === record.after
    if (isAsLeft) {
      const bytes = record.before === null ? null : Buffer.from(record.before, 'base64')
      return { bytes, step: { kind: 'restored', path, isExact: true } }
    }
    const without = removeHooks(text)
    if (without === text) return { step: { kind: 'unchanged', path } }
    return { text: without, step: { kind: 'restored', path, isExact: false } }
  })
  if (step.kind === 'refused' || dryRun) return [step]
  if (record) removeRecord(home, record.settingsPath)
  // Other settings files may still name the symlink.
  if (hasRecords(home) || !removeLink(link)) return [step]
  return [step, { kind: 'removed', path: link }]
}

type Change =
  | { step: Step }
  | { step: Step; text: string; done?: (bytes: Buffer, mark: string) => void }
  | { step: Step; bytes: Buffer | null }

/** Changes a settings file that Claude Code accepts. Leaves any other file unchanged, with a reason. */
function change(path: string, dryRun: boolean, decide: (file: SettingsFile, text: string) => Change): Step {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    let file: SettingsFile
    try {
      file = readSettingsFile(path)
      const problem = whyNotWritable(file)
      if (problem !== null) return { kind: 'refused', path, problem }
    } catch (error) {
      return {
        kind: 'refused',
        path,
        problem: error instanceof Error ? error.message : 'It cannot be read.',
      }
    }
    // Latin-1, one character per byte: untouched parts are written back unchanged in any encoding.
    const all = file.bytes?.toString('latin1') ?? ''
    const mark = all.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
    const text = all.slice(mark.length)
    const check = checkSettings(text)
    if (check.kind === 'invalid') return { kind: 'refused', path, problem: check.problem }
    const decided = decide(file, text)
    if (dryRun || !('text' in decided || 'bytes' in decided)) return decided.step
    const bytes = 'bytes' in decided ? decided.bytes : Buffer.from(mark + decided.text, 'latin1')
    try {
      if (!replaceSettingsFile(file, bytes)) continue
    } catch (error) {
      return {
        kind: 'refused',
        path,
        problem: error instanceof Error ? error.message : 'It cannot be written.',
      }
    }
    if ('done' in decided && bytes !== null) decided.done?.(bytes, mark)
    return decided.step
  }
  return { kind: 'refused', path, problem: 'Another program keeps changing it. Try again.' }
}

/** The settings text has one character per byte, and so must inserted text. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function parse(text: string): unknown {
  return text.trim() === '' ? {} : (JSON.parse(text) as unknown)
}

/** Serialises installations. The lock is a transaction, so the operating system releases it when the process ends. */
async function withLock<Result>(home: string, work: () => Result): Promise<Result> {
  mkdirSync(join(home, 'hook'), { recursive: true, mode: 0o700 })
  const database = await openDatabase(join(home, 'hook', 'lock'))
  try {
    database.exec('PRAGMA busy_timeout = 10000; BEGIN EXCLUSIVE')
    return work()
  } finally {
    database.close()
  }
}
