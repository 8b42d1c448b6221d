/** `signalbox service uninstall`. */

import { lstatSync, readlinkSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ENVIRONMENT_FILE } from './environment-file.js'
import { savedName, textIn } from './private-file.js'
import { readServiceFile } from './service-file.js'
import type { ServiceManager } from './service-manager.js'
import { sealOf } from './service-mark.js'
import type { ServiceStep } from './service-step.js'

/** Removes what `install` wrote, and nothing else: stored work, settings and edited files stay. */
export function uninstallService(options: {
  manager: ServiceManager
  home: string
  dryRun: boolean
}): ServiceStep[] {
  const { manager, home, dryRun } = options
  const { file, name, loginLink } = manager
  const { state } = readServiceFile(manager)
  if (state === 'foreign')
    return [{ kind: 'refused', path: file, problem: 'Something else wrote it.', fix: 'Remove it yourself.' }]
  const steps: ServiceStep[] = []
  if (state === 'missing') steps.push({ kind: 'missing', path: file })
  else {
    if (!dryRun) steps.push(deactivate(manager))
    if (state === 'edited') steps.push({ kind: 'saved', path: file, to: savedName(file) })
    else steps.push({ kind: 'removed', path: file })
    if (!dryRun) {
      if (state === 'edited') renameSync(file, savedName(file))
      else rmSync(file)
    }
  }
  if (!dryRun) {
    if (loginLink !== null && leadsTo(loginLink, name)) rmSync(loginLink)
    forget(manager)
  }
  return [...steps, ...removeEnvironment(join(home, ENVIRONMENT_FILE), dryRun)]
}

function deactivate(manager: ServiceManager): ServiceStep {
  const { name } = manager
  try {
    manager.deactivate()
    return { kind: 'deactivated', name }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return { kind: 'not_stopped', name, problem }
  }
}

/** Optional: a manager that does not run has nothing to forget. */
function forget(manager: ServiceManager): void {
  try {
    manager.reload()
  } catch {
    // It reads its files when it starts.
  }
}

/** A link that the manager left because it did not run. */
function leadsTo(link: string, name: string): boolean {
  const entry = lstatSync(link, { throwIfNoEntry: false })
  return entry?.isSymbolicLink() === true && basename(readlinkSync(link)) === name
}

function removeEnvironment(path: string, dryRun: boolean): ServiceStep[] {
  const text = textIn(path)
  if (text === null) return []
  if (sealOf(text) !== 'sealed')
    return [{ kind: 'kept', path, problem: 'It was edited since it was installed.' }]
  if (!dryRun) rmSync(path)
  return [{ kind: 'removed', path }]
}
