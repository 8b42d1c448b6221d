/**
 * The lifecycle hook as a plugin folder: Claude Code loads it from its skills folder, and the settings stay unchanged.
 */

import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { HOOK_NAME, HOOK_POINTS, hookGroup } from './hook-entry.js'
import { placeLink } from './hook-link.js'

export function pluginFolder(claudeFolder: string): string {
  return join(claudeFolder, 'skills', 'signalbox')
}

/** Null if nothing changed. */
export function placePlugin(
  claudeFolder: string,
  target: string,
  home: string | null,
): { link: string } | null {
  const folder = pluginFolder(claudeFolder)
  const link = join(folder, 'hooks', HOOK_NAME)
  const manifest = {
    name: 'signalbox',
    version: '1.0.0',
    description: 'Tells Signalbox what happens in terminal sessions.',
  }
  const command = `\${CLAUDE_PLUGIN_ROOT}/hooks/${HOOK_NAME}`
  const hooks: Record<string, unknown[]> = {}
  for (const point of HOOK_POINTS)
    hooks[point.event] = [...(hooks[point.event] ?? []), hookGroup(point, { command, home })]
  const changes = [
    writeIfOther(join(folder, '.claude-plugin', 'plugin.json'), manifest),
    writeIfOther(join(folder, 'hooks', 'hooks.json'), { description: manifest.description, hooks }),
    placeLink(link, target),
  ]
  return changes.includes(true) ? { link } : null
}

function writeIfOther(path: string, value: unknown): boolean {
  const text = `${JSON.stringify(value, null, 2)}\n`
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return false
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return true
}

export function removePlugin(claudeFolder: string): void {
  const folder = pluginFolder(claudeFolder)
  rmSync(join(folder, '.claude-plugin'), { recursive: true, force: true })
  rmSync(join(folder, 'hooks'), { recursive: true, force: true })
  // The user may have put other files here, which stay.
  try {
    rmdirSync(folder)
  } catch {
    // Not empty.
  }
}
