/** `signalbox hooks`: installs and uninstalls the lifecycle hook in Claude Code, and shows its status. */

import { homePath, openHome } from '../../home.js'
import { HubError } from '../../protocol/error.js'
import { type HookStatus, isInOrder } from '../../protocol/terminal/hook-status.js'
import { readHookStatus } from '../../terminal/hook/hook-status.js'
import { installHooks, type Scope, type Step, uninstallHooks } from '../../terminal/hook/install.js'
import { claudeFolderOf, streamPathOf } from '../../terminal/stream/paths.js'
import { EXIT } from '../exit-code.js'
import { type Fact, factTable } from '../output/facts.js'
import type { Terminal } from '../output/terminal.js'
import { shortPath as short } from '../output/text.js'
import { type TimeOptions, timeText } from '../output/time.js'
import { hint } from '../own-command.js'

interface HooksOptions extends TimeOptions {
  home?: string
  json?: boolean
  scope?: string
  dryRun?: boolean
}

export async function install(
  options: HooksOptions & { plugin?: boolean; remote?: boolean; replaceOld?: boolean },
  terminal: Terminal,
): Promise<number> {
  const steps = await installHooks({
    ...placeOf(options),
    asPlugin: options.plugin ?? false,
    remote: options.remote ?? true,
    replacesOlder: options.replaceOld ?? false,
    dryRun: options.dryRun ?? false,
    now: Date.now(),
  })
  return report(steps, options, terminal, verification())
}

export async function uninstall(options: HooksOptions, terminal: Terminal): Promise<number> {
  const steps = await uninstallHooks({
    ...placeOf(options),
    dryRun: options.dryRun ?? false,
    now: Date.now(),
  })
  return report(steps, options, terminal, '')
}

export async function status(options: HooksOptions, terminal: Terminal): Promise<number> {
  const found = readHookStatus({
    ...placeOf(options),
    streamPath: streamPathOf(process.env),
    platform: process.platform,
  })
  if (options.json) terminal.json({ isInOrder: isInOrder(found), ...found })
  else terminal.out(factTable(describeStatus(found, options), terminal.columns))
  return isInOrder(found) ? EXIT.done : EXIT.failed
}

function placeOf(options: HooksOptions) {
  const { env } = process
  return {
    claudeFolder: claudeFolderOf(env),
    home: openHome(homePath(options.home, env)).path,
    scope: readScope(options.scope),
    cwd: process.cwd(),
  }
}

function readScope(value = 'user'): Scope {
  if (value === 'user' || value === 'project' || value === 'local') return value
  throw new HubError('request_invalid', `Unknown --scope "${value}". Use user, project or local.`)
}

function report(steps: readonly Step[], options: HooksOptions, terminal: Terminal, verify: string): number {
  const isRefused = steps.some(({ kind }) => kind === 'refused')
  if (options.json) {
    terminal.json({ dryRun: options.dryRun ?? false, steps })
  } else {
    if (options.dryRun) terminal.out('Dry run, nothing is changed. It would do this:\n')
    for (const step of steps) terminal.out(`${describe(step).join('\n')}\n`)
    if (!isRefused && !options.dryRun) terminal.out(verify)
  }
  return isRefused ? EXIT.failed : EXIT.done
}

function describe(step: Step): string[] {
  const name = 'lifecycle-logger'
  switch (step.kind) {
    case 'linked':
      return [`✓ symlink: ${short(step.link)} → ${short(step.target)} (${step.form})`]
    case 'merged':
      return [`✓ hooks merged into ${short(step.path)}`, ...step.hooks.map((hook) => `  - ${hook}: ${name}`)]
    case 'plugin_written':
      return [`✓ plugin written to ${short(step.path)}`, ...step.hooks.map((hook) => `  - ${hook}: ${name}`)]
    case 'unchanged':
      return [`✓ nothing to change in ${short(step.path)}`]
    case 'restored':
      return [`✓ hooks removed from ${short(step.path)}${step.isExact ? ', which is restored exactly' : ''}`]
    case 'removed':
      return [`✓ removed: ${short(step.path)}`]
    case 'older_found':
      return describeOlder(step)
    case 'older_removed':
      return [`✓ older hooks removed from ${short(step.path)}`, ...step.hooks.map((hook) => `  - ${hook}`)]
    case 'refused':
      return [
        `✗ ${short(step.path)} was not changed. ${step.problem}`,
        '  Fix: correct the file and run this again, or use --plugin, which does not change settings.',
      ]
  }
}

function describeOlder({ scope, path, hooks }: HookStatus['older'][number]): [string, string] {
  const where = scope === 'user' ? '' : ` --scope ${scope}`
  return [
    `! ${short(path)} has hooks of an older installation (lifecycle-logger.sh): ${hooks.join(', ')}.`,
    hint(
      `  They write events without a session id. Remove them with: signalbox hooks install --replace-old${where}`,
    ),
  ]
}

/** Fits every user: it needs no skill, no account and no permission. */
function verification(): string {
  return hint(
    [
      '',
      'To check it, start "claude" in another terminal and type anything. Then run: signalbox hooks status',
      'Its last line is "Fires" with "yes" when events arrive.',
      'Conversations of terminals are kept, also those from before: signalbox sessions --history shows them and their size.',
      'To leave folders out, set transcripts.exclude in config.jsonc; transcripts.keep switches it off.',
      '',
    ].join('\n'),
  )
}

function describeStatus(found: HookStatus, options: TimeOptions): Fact[] {
  const { installations, hook, stream, fires, switchedOffBy, broken } = found
  const older = found.older.flatMap((place) => {
    const [line, fix] = describeOlder(place)
    return [['Older', `${line.slice(2)} ${fix.trim()}`] as const]
  })
  if (installations.length === 0)
    return [['Installed', hint('no; install with: signalbox hooks install')], ...older]
  const last = stream.last
    ? `${stream.last.eventType}${stream.last.phase ? ` ${stream.last.phase}` : ''} at ${timeText(stream.last.occurredAtIso, options)}`
    : 'none yet'
  return [
    ...installations.map(({ way, scope, path, missing, remote }) => {
      const lacking = missing.length === 0 ? '' : ` (missing ${missing.join(', ')}: install again)`
      const answers = remote ? 'remote answers enabled' : 'answered only in the terminal'
      return ['Installed', `${way}, ${scope}: ${short(path)}${lacking}; ${answers}`] as const
    }),
    ['Hook', `${hook?.works ? 'works' : 'does not work: install again'}: ${short(hook?.path ?? '')}`],
    ['Stream', `${short(stream.path)}, ${stream.bytes} bytes, last event: ${last}`],
    ...switchedOffBy.map((path) => ['Off', `disableAllHooks in ${short(path)} disables all hooks`] as const),
    ...broken.map(({ path, problem }) => ['Broken', `${short(path)} is not loaded. ${problem}`] as const),
    ...older,
    ['Fires', fires === null ? 'unknown' : fires ? 'yes' : 'no event since it was installed'],
  ]
}
