/** Service managers: where their files are, and the programs that control them. */

import { spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { digest } from '../../lib/digest.js'
import { HubError } from '../../protocol/error.js'
import { readJournalLine } from './journal-line.js'
import { plistText, serviceLogOf } from './plist-text.js'
import type { ServiceSpec } from './service-spec.js'
import { problemOfExecutable, problemOfPath, unitText } from './unit-text.js'

type Environment = Readonly<Record<string, string | undefined>>

export interface ServiceManager {
  readonly kind: 'systemd' | 'launchd'
  /** Name of the service, different for each home. */
  readonly name: string
  readonly file: string
  /** Where users put changes of their own; null: nowhere. */
  readonly overrides: string | null
  readonly restartCommand: string
  /** Starts it now and at each login, for a user whose manager did not answer at the installation. */
  readonly activateCommand: string
  /** The link that starts it at login; null: the file itself does. */
  readonly loginLink: string | null
  textOf(spec: ServiceSpec): string
  /** Why the manager could not read a path, or null. */
  problemOf(kind: 'executable' | 'path', path: string): string | null
  hasRestartSteps(): boolean
  /** Each throws with the reason if the manager does not do it. */
  activate(): void
  reload(): void
  restart(): void
  deactivate(): void
  state(): ServiceState
  /** The program that prints the log, and what one of its lines says. */
  logReader(query: LogQuery): LogReader
}

export interface ServiceState {
  /** Null: the manager does not answer. */
  isActive: boolean | null
  isEnabled: boolean | null
  /** In the words of the manager. */
  detail: string
}

export interface LogQuery {
  lines: number
  follow: boolean
  /** In milliseconds since 1970; null for all. */
  since: number | null
}

export interface LogReader {
  program: string
  words: string[]
  /** Null for a line that says nothing. */
  read(line: string): LogLine | null
}

/** One line that the daemon or its manager wrote. */
export interface LogLine {
  text: string
  /** Null where the manager keeps none. */
  from: { time: string; source: string } | null
}

export interface ServicePlace {
  home: string
  env: Environment
  platform: NodeJS.Platform
}

export function serviceManagerFor(place: ServicePlace): ServiceManager {
  if (place.platform === 'linux') return systemd(place)
  if (place.platform === 'darwin') return launchd(place)
  throw new HubError(
    'request_invalid',
    `No service manager is known for ${place.platform}. Run "signalbox start" from one of your own.`,
  )
}

/** The default home has the plain name; another home has its own service. */
function nameOf({ home, env }: ServicePlace): string {
  const isDefault = home === realPath(join(userFolder(env), '.signalbox'))
  return isDefault ? 'signalbox' : `signalbox-${digest(home).slice(0, 8)}`
}

/** Through links, as far as the path exists: the name of a service must not change when its home is gone. */
export function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path))
}

function userFolder(env: Environment): string {
  return env['HOME'] || homedir()
}

function systemd(place: ServicePlace): ServiceManager {
  const { env } = place
  const name = `${nameOf(place)}.service`
  const folder = join(env['XDG_CONFIG_HOME'] || join(userFolder(env), '.config'), 'systemd', 'user')
  const file = join(folder, name)
  const systemctl = (...words: string[]) => call('systemctl', ['--user', ...words])
  return {
    kind: 'systemd',
    name,
    file,
    overrides: `${file}.d`,
    restartCommand: `systemctl --user restart ${name}`,
    activateCommand: `systemctl --user enable --now ${name}`,
    loginLink: join(folder, 'default.target.wants', name),
    textOf: unitText,
    problemOf: (kind, path) => (kind === 'executable' ? problemOfExecutable(path) : problemOfPath(path)),
    hasRestartSteps: () => Number(/^systemd (\d+)/.exec(tryCall('systemctl', ['--version']))?.[1]) >= 254,
    activate() {
      systemctl('daemon-reload')
      systemctl('enable', '--now', name)
    },
    reload: () => systemctl('daemon-reload'),
    restart: () => systemctl('restart', name),
    deactivate: () => systemctl('disable', '--now', name),
    state() {
      const active = tryCall('systemctl', ['--user', 'is-active', name])
      const enabled = tryCall('systemctl', ['--user', 'is-enabled', name])
      const isKnown = active !== ''
      return {
        isActive: isKnown ? active === 'active' : null,
        isEnabled: isKnown ? enabled === 'enabled' : null,
        detail: isKnown ? active : 'the user manager of systemd does not answer',
      }
    },
    logReader: ({ lines, follow, since }) => ({
      program: 'journalctl',
      words: [
        '--user',
        '--user-unit',
        name,
        '--output=json',
        // Otherwise long lines are left out.
        '--all',
        `--lines=${lines}`,
        ...(since === null ? [] : [`--since=@${Math.floor(since / 1_000)}`]),
        ...(follow ? ['--follow'] : []),
      ],
      read: readJournalLine,
    }),
  }
}

function launchd(place: ServicePlace): ServiceManager {
  const { env, home } = place
  const name = nameOf(place)
  const file = join(userFolder(env), 'Library', 'LaunchAgents', `${name}.plist`)
  const domain = `gui/${process.getuid?.() ?? 0}`
  const launchctl = (...words: string[]) => call('launchctl', words)
  return {
    kind: 'launchd',
    name,
    file,
    overrides: null,
    restartCommand: `launchctl kickstart -k ${domain}/${name}`,
    activateCommand: `launchctl bootstrap ${domain} ${file}`,
    loginLink: null,
    textOf: (spec) => plistText(name, spec),
    problemOf: (_, path) => problemOfPath(path),
    hasRestartSteps: () => false,
    activate: () => launchctl('bootstrap', domain, file),
    // launchd reads the file when it loads it; the running service keeps its values.
    reload: () => {},
    restart() {
      launchctl('bootout', `${domain}/${name}`)
      launchctl('bootstrap', domain, file)
    },
    deactivate: () => launchctl('bootout', `${domain}/${name}`),
    state() {
      const printed = tryCall('launchctl', ['print', `${domain}/${name}`])
      const detail = /state = (.+)/.exec(printed)?.[1] ?? 'not loaded'
      return { isActive: detail === 'running', isEnabled: printed !== '', detail }
    },
    // Its lines have times only where the daemon wrote them: `since` is applied to those.
    logReader: ({ lines, follow }) => ({
      program: 'tail',
      words: ['-n', String(lines), ...(follow ? ['-F'] : []), serviceLogOf(home)],
      read: (line) => (line === '' ? null : { text: line, from: null }),
    }),
  }
}

function call(program: string, words: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, words, { encoding: 'utf8', timeout: 60_000 })
  if (error) throw new Error(`${program} does not run: ${error.message}`)
  if (status !== 0) throw new Error(stderr.trim() || `${program} ended with ${status}`)
}

function tryCall(program: string, words: readonly string[]): string {
  return spawnSync(program, words, { encoding: 'utf8', timeout: 20_000 }).stdout?.trim() ?? ''
}
