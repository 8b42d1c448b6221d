/** `signalbox service install`: what it changes, step by step. */

import { chmodSync, lstatSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findForeignAbove } from '../../lib/file/file-owner.js'
import { makeFolder } from '../../lib/file/make-folder.js'
import { ENVIRONMENT_FILE, problemOfVariable, variableNames, withVariables } from './environment-file.js'
import { savedName, textIn, writeFile } from './private-file.js'
import { findUnsafeProgram, safePath } from './safe-program.js'
import { readServiceFile } from './service-file.js'
import type { ServiceManager } from './service-manager.js'
import type { ServiceSpec } from './service-spec.js'
import type { ServiceStep } from './service-step.js'

export interface InstallOptions {
  manager: ServiceManager
  node: string
  program: string
  /** The real path of the home, which exists. */
  home: string
  /** PATH for the service. */
  path: string
  /** Names of variables to copy from `env` into the environment file. */
  variables: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  /** Replaces a file that was edited, or that something else wrote. */
  replaces: boolean
  /** False: only the files are written. */
  activates: boolean
  restarts: boolean
  /** Whether a daemon that is not the service uses the home. */
  isHomeInUse: boolean
  dryRun: boolean
}

export interface Installation {
  steps: ServiceStep[]
  /** The service file as it is, or would be, written; null if that was refused. */
  text: string | null
}

export function installService(options: InstallOptions): Installation {
  const { manager, dryRun } = options
  const refusal = findRefusal(options)
  if (refusal) return { steps: [refusal], text: null }
  const { spec, left } = specFor(options)
  const text = manager.textOf(spec)
  const steps: ServiceStep[] = left.length > 0 ? [{ kind: 'path_shortened', folders: left }] : []
  steps.push(...writeVariables(options, spec.environmentFile))
  const isUnchanged = textIn(manager.file) === text
  if (isUnchanged) steps.push({ kind: 'unchanged', path: manager.file })
  else steps.push(...replaceFile(manager, text, dryRun))
  if (options.activates && !dryRun) steps.push(activate(options, isUnchanged))
  return { steps, text }
}

function specFor({ manager, node, program, home, path }: InstallOptions): {
  spec: ServiceSpec
  left: string[]
} {
  const safe = safePath(path)
  const spec = {
    format: 1,
    node,
    program,
    home,
    environmentFile: join(home, ENVIRONMENT_FILE),
    path: safe.path,
    hasRestartSteps: manager.hasRestartSteps(),
  } as const
  return { spec, left: safe.left }
}

function findRefusal(options: InstallOptions): (ServiceStep & { kind: 'refused' }) | null {
  const { manager, node, program, home, variables, env, replaces } = options
  const refused = (path: string, problem: string, fix: string) =>
    ({ kind: 'refused', path, problem, fix }) as const
  for (const [kind, path] of [
    ['executable', node],
    ['path', program],
    ['path', home],
  ] as const) {
    const problem = manager.problemOf(kind, path)
    if (problem) return refused(path, `${manager.kind} cannot use this path: ${problem}.`, 'Move it.')
  }
  const unsafe = findUnsafeProgram(node, program)
  if (unsafe) return { kind: 'refused', ...unsafe }
  const environmentFile = join(home, ENVIRONMENT_FILE)
  if (lstatSync(environmentFile, { throwIfNoEntry: false })?.isFile() === false)
    return refused(environmentFile, 'It is not a file.', 'Move it away.')
  for (const name of variables) {
    const problem = problemOfVariable(name, env[name])
    if (problem) return refused(environmentFile, problem, 'Correct --env.')
  }
  const above = findForeignAbove(manager.file)
  if (above) return refused(manager.file, above.found, `Fix: ${above.fix}`)
  const { state } = readServiceFile(manager)
  if (replaces || (state !== 'edited' && state !== 'foreign')) return null
  const where = manager.overrides === null ? 'elsewhere' : `to ${join(manager.overrides, 'override.conf')}`
  return state === 'edited'
    ? refused(
        manager.file,
        'It was edited since it was installed.',
        `Move the changes ${where}, then run this with --replace.`,
      )
    : refused(
        manager.file,
        'Something else wrote it.',
        'Check it, then run this with --replace, which keeps a copy.',
      )
}

function writeVariables({ variables, env, dryRun }: InstallOptions, path: string): ServiceStep[] {
  const before = textIn(path)
  const values = Object.fromEntries(variables.map((name) => [name, env[name] ?? '']))
  const text = variables.length > 0 ? withVariables(before, values) : before
  if (text === null) return []
  if (!dryRun) {
    if (text !== before) writeFile(path, text)
    // Readable for its owner only, whatever an editor or a copy has done to its permissions.
    else chmodSync(path, 0o600)
  }
  return [{ kind: 'variables', path, names: variableNames(text) }]
}

function replaceFile(manager: ServiceManager, text: string, dryRun: boolean): ServiceStep[] {
  const { file } = manager
  const { state } = readServiceFile(manager)
  const isForeign = state === 'edited' || state === 'foreign'
  const saved: ServiceStep[] = isForeign ? [{ kind: 'saved', path: file, to: savedName(file) }] : []
  if (!dryRun) {
    if (isForeign) renameSync(file, savedName(file))
    makeFolder(dirname(file), 0o700)
    writeFile(file, text)
  }
  return [...saved, { kind: 'written', path: file }]
}

function activate(options: InstallOptions, isUnchanged: boolean): ServiceStep {
  const { manager, restarts, isHomeInUse } = options
  const { name } = manager
  const { isActive, isEnabled } = manager.state()
  try {
    if (isActive && isEnabled) {
      manager.reload()
      if (restarts) {
        manager.restart()
        return { kind: 'restarted', name }
      }
      return isUnchanged
        ? { kind: 'activated', name }
        : { kind: 'restart_needed', name, fix: manager.restartCommand }
    }
    if (isHomeInUse && !isActive)
      return {
        kind: 'not_activated',
        name,
        problem: 'A daemon that you started yourself uses this home.',
        fix: `Stop it, then run "${manager.activateCommand}".`,
      }
    manager.activate()
    return { kind: 'activated', name }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return { kind: 'not_activated', name, problem, fix: `Fix it, then run "${manager.activateCommand}".` }
  }
}
