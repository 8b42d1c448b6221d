/** `signalbox service`: the daemon as a service that starts at login. */

import { homePath, openHome } from '../../home.js'
import type { CommandOptions } from '../command-options.js'
import { findDaemon } from '../connect.js'
import { EXIT } from '../exit-code.js'
import { type Fact, factTable } from '../output/facts.js'
import type { Terminal } from '../output/terminal.js'
import { hint } from '../own-command.js'
import { installService } from '../service/install.js'
import { realPath, type ServiceManager, serviceManagerFor } from '../service/service-manager.js'
import type { ServiceStep } from '../service/service-step.js'
import { readServiceStatus, type ServiceStatus } from '../service/status.js'
import { uninstallService } from '../service/uninstall.js'

type ServiceOptions = CommandOptions & { dryRun?: boolean }

export async function install(
  options: ServiceOptions & {
    env?: readonly string[]
    replace?: boolean
    restart?: boolean
    start?: boolean
  },
  terminal: Terminal,
): Promise<number> {
  const { env } = process
  const dryRun = options.dryRun ?? false
  const given = homePath(options.home, env)
  const home = dryRun ? realPath(given) : openHome(given).path
  const manager = managerFor(home)
  const { steps, text } = installService({
    manager,
    ...programs(),
    home,
    path: env['PATH'] ?? '',
    variables: options.env ?? [],
    env,
    replaces: options.replace ?? false,
    activates: options.start ?? true,
    restarts: options.restart ?? false,
    isHomeInUse: await isDaemonRunning(home),
    dryRun,
  })
  if (options.json) {
    terminal.json({ dryRun, steps, ...(text !== null && { file: { path: manager.file, text } }) })
  } else {
    // A file is not wrapped: it would read as another one.
    if (dryRun && text !== null) terminal.stream(text)
    for (const step of steps) terminal.note(describe(step, dryRun))
    const unseen = unseenVariables(steps)
    if (text !== null && unseen.length > 0) terminal.note(unseenNote(unseen))
  }
  return codeOf(steps)
}

export async function uninstall(options: ServiceOptions, terminal: Terminal): Promise<number> {
  const home = realPath(homePath(options.home, process.env))
  const dryRun = options.dryRun ?? false
  const steps = uninstallService({ manager: managerFor(home), home, dryRun })
  if (options.json) terminal.json({ dryRun, steps })
  else for (const step of steps) terminal.note(describe(step, dryRun))
  return codeOf(steps)
}

export async function status(options: ServiceOptions, terminal: Terminal): Promise<number> {
  const home = realPath(homePath(options.home, process.env))
  const found = readServiceStatus(managerFor(home), home, programs())
  const isRunning = found.fileState !== 'missing' && found.state.isActive === true
  if (options.json) terminal.json({ isInOrder: isRunning && found.problems.length === 0, service: found })
  else if (found.fileState === 'missing')
    terminal.out(hint('Not installed. Install with: signalbox service install\n'))
  else terminal.out(factTable(describeStatus(found), terminal.columns))
  if (found.fileState === 'missing') return EXIT.notFound
  return isRunning && found.problems.every(({ isBroken }) => !isBroken) ? EXIT.done : EXIT.failed
}

/** The programs that run now. */
export function programs() {
  return { node: process.execPath, program: realPath(process.argv[1] ?? '') }
}

export function managerFor(home: string): ServiceManager {
  return serviceManagerFor({ home, env: process.env, platform: process.platform })
}

async function isDaemonRunning(home: string): Promise<boolean> {
  const about = await findDaemon(home)
    ?.about()
    .catch(() => null)
  return Boolean(about)
}

function codeOf(steps: readonly ServiceStep[]): number {
  return steps.some(({ kind }) => kind === 'refused' || kind === 'not_activated') ? EXIT.failed : EXIT.done
}

/** Variables that change what the daemon does, and that a service does not see. */
const NOTED =
  /^(?:ANTHROPIC_|CLAUDE_|SIGNALBOX_(?!HOME$)|KW_CHAT_|AWS_(?:ACCESS|SECRET|SESSION|BEARER|PROFILE|REGION)|GOOGLE_APPLICATION_|(?:HTTPS?|NO)_PROXY$)/

function unseenVariables(steps: readonly ServiceStep[]): string[] {
  const known = new Set(steps.flatMap((step) => (step.kind === 'variables' ? step.names : [])))
  return Object.keys(process.env).filter((name) => NOTED.test(name) && !known.has(name))
}

function unseenNote(names: readonly string[]): string {
  return hint(
    `! set here, but not for the service: ${names.join(', ')}. To copy one: signalbox service install --env NAME`,
  )
}

function describe(step: ServiceStep, dryRun: boolean): string {
  const would = (did: string, does: string) => (dryRun ? `would ${does}` : did)
  switch (step.kind) {
    case 'written':
      return `✓ ${would('written', 'write')}: ${step.path}`
    case 'unchanged':
      return `✓ unchanged: ${step.path}`
    case 'removed':
      return `✓ ${would('removed', 'remove')}: ${step.path}`
    case 'missing':
      return `✓ not installed: ${step.path}`
    case 'saved':
      return `! ${step.path} was changed: ${would('kept', 'keep')} as ${step.to}`
    case 'kept':
      return `! kept: ${step.path}. ${step.problem}`
    case 'not_stopped':
      return `! ${step.name} could not be stopped: ${step.problem}`
    case 'variables':
      return `✓ variables in ${step.path}: ${step.names.join(', ') || 'none'}`
    case 'path_shortened':
      return `! left out of PATH, since other users could write there: ${step.folders.join(', ')}`
    case 'activated':
      return `✓ running, and started at login: ${step.name}`
    case 'restarted':
      return `✓ restarted: ${step.name}`
    case 'deactivated':
      return `✓ stopped, and no longer started at login: ${step.name}`
    case 'restart_needed':
      return `! ${step.name} still runs as before. Restart it when no turn is running: ${step.fix}`
    case 'not_activated':
      return `✗ ${step.name} was not started. ${step.problem}\n  ${step.fix}`
    case 'refused':
      return `✗ refused: ${step.path}. ${step.problem}\n  ${step.fix}`
  }
}

function describeStatus(found: ServiceStatus): Fact[] {
  const { fileState, file, manager, state, spec, environmentFile, variables, problems } = found
  const atLogin = state.isEnabled === null ? 'unknown' : state.isEnabled ? 'yes' : 'no'
  return [
    ['File', `${file} (${manager}, ${fileState})`],
    ['State', `${state.detail}; started at login: ${atLogin}`],
    ...(spec ? [['Program', `${spec.node} ${spec.program}`] as const, ['Home', spec.home] as const] : []),
    ['Variables', variables.length > 0 ? `${variables.join(', ')} (${environmentFile})` : 'none'],
    ...problems.flatMap(({ found: problem, fix }) => [
      ['Problem', hint(problem)] as const,
      ['', `Fix: ${hint(fix)}`] as const,
    ]),
  ]
}
