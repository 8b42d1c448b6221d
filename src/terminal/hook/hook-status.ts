/** Reads the status of the lifecycle hook: installed, executable, firing, and what disables it. */

import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { asRecord } from '../../lib/read-json.js'
import type { HookInstallation, HookStatus, LastEvent } from '../../protocol/terminal/hook-status.js'
import { lastEvent } from '../stream/last-event.js'
import { HOOK_NAME, HOOK_POINTS, isRemote, nameOfPoint, olderPoints, ourEntries } from './hook-entry.js'
import { readLink } from './hook-link.js'
import { type InstallPlace, linkPathOf, type Scope, settingsPathOf } from './install.js'
import { readRecord } from './install-record.js'
import { pluginFolder } from './plugin.js'
import { worksHere } from './producer.js'
import { checkSettings } from './settings-check.js'
import { readSettingsFile } from './settings-file.js'

const MANAGED: Readonly<Record<string, string>> = {
  linux: '/etc/claude-code/managed-settings.json',
  darwin: '/Library/Application Support/ClaudeCode/managed-settings.json',
}
const SCOPES: readonly Scope[] = ['user', 'project', 'local']

export interface StatusPlace extends Omit<InstallPlace, 'scope'> {
  /** Scopes to check. Default: all. Project scopes are relative to `cwd`. */
  scopes?: readonly Scope[]
  streamPath: string
  platform: string
  /** Whether a hook can be executed. Default: by running it. */
  works?(path: string): boolean
}

export function readHookStatus(place: StatusPlace): HookStatus {
  const { claudeFolder, home, streamPath, scopes = SCOPES } = place
  const files = settingsFiles(place, scopes)
  const managed = MANAGED[place.platform]
  const judged = [...files.map(({ path }) => path), ...(managed ? [managed] : [])].map((path) => judge(path))
  const installations = [
    ...files.flatMap(({ scope, path }) => inSettings(scope, path, home)),
    ...asPlugin(claudeFolder),
  ]
  const last = lastEvent(streamPath)
  return {
    installations,
    hook: readHook(place, installations),
    stream: { path: streamPath, bytes: statSync(streamPath, { throwIfNoEntry: false })?.size ?? 0, last },
    fires: doesFire(installations, last),
    older: files.flatMap(({ scope, path }) => {
      const hooks = olderPoints(parse(readText(path) ?? ''))
      return hooks.length === 0 ? [] : [{ scope, path, hooks }]
    }),
    switchedOffBy: judged.filter(({ isOff }) => isOff).map(({ path }) => path),
    broken: judged.flatMap(({ path, problem }) => (problem === null ? [] : [{ path, problem }])),
  }
}

/** Deduplicates: in the user's home folder, user and project settings are the same file. */
function settingsFiles(
  place: Omit<StatusPlace, 'scopes'>,
  scopes: readonly Scope[],
): { scope: Scope; path: string }[] {
  const files = scopes.map((scope) => ({ scope, path: settingsPathOf({ ...place, scope }) }))
  const real = files.map(({ path }) => realPathOf(path))
  return files.filter((_, index) => real.indexOf(real[index] ?? '') === index)
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function judge(path: string): { path: string; isOff: boolean; problem: string | null } {
  const text = readText(path)
  if (text === null) return { path, isOff: false, problem: null }
  const check = checkSettings(text)
  if (check.kind === 'invalid') return { path, isOff: false, problem: check.problem }
  return { path, isOff: check.value['disableAllHooks'] === true, problem: null }
}

function readText(path: string): string | null {
  try {
    return (
      readSettingsFile(path)
        .bytes?.toString('utf8')
        .replace(/^\ufeff/, '') ?? null
    )
  } catch {
    return null
  }
}

function inSettings(scope: Scope, path: string, home: string): HookInstallation[] {
  const settings = parse(readText(path) ?? '')
  if (ourEntries(settings).length === 0) return []
  const installedAt = readRecord(home, readSettingsFile(path).path)?.installedAt ?? null
  return [
    { way: 'settings', scope, path, installedAt, remote: isRemote(settings), missing: missingIn(settings) },
  ]
}

function asPlugin(claudeFolder: string): HookInstallation[] {
  const file = join(pluginFolder(claudeFolder), 'hooks', 'hooks.json')
  if (!existsSync(file)) return []
  const installedAt = statSync(file).mtime.toISOString()
  const settings = parse(readFileSync(file, 'utf8'))
  const [remote, missing] = [isRemote(settings), missingIn(settings)]
  return [{ way: 'plugin', scope: 'user', path: pluginFolder(claudeFolder), installedAt, remote, missing }]
}

function missingIn(settings: unknown): string[] {
  const found = ourEntries(settings).map(({ point }) => nameOfPoint(point))
  return HOOK_POINTS.map(nameOfPoint).filter((name) => !found.includes(name))
}

function readHook(
  { claudeFolder, works = worksHere }: Pick<StatusPlace, 'claudeFolder' | 'works'>,
  installations: readonly HookInstallation[],
): HookStatus['hook'] {
  if (installations.length === 0) return null
  const isPlugin = installations.every(({ way }) => way === 'plugin')
  const path = isPlugin ? join(pluginFolder(claudeFolder), 'hooks', HOOK_NAME) : linkPathOf(claudeFolder)
  let target: string | null = null
  try {
    target = readLink(path)
  } catch {
    // Not a symlink. Only whether it works matters.
  }
  return { path, target, works: works(path) }
}

function doesFire(installations: readonly HookInstallation[], last: LastEvent | null): boolean | null {
  const since = installations.map(({ installedAt }) => installedAt).filter((at) => at !== null)
  if (since.length === 0) return null
  return last !== null && since.some((at) => Date.parse(last.occurredAtIso) >= Date.parse(at))
}

function parse(text: string): unknown {
  try {
    return asRecord(JSON.parse(text))
  } catch {
    return {}
  }
}
