/** `signalbox start`: the daemon in the foreground. */

import { spawn } from 'node:child_process'
import { rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Daemon } from '../../daemon.js'
import { homePath } from '../../home.js'
import { readVersion } from '../../version.js'
import { closeInTime } from '../close-in-time.js'
import { readChoice } from '../command-options.js'
import { EXIT } from '../exit-code.js'
import { type LoggedDaemon, startLoggedDaemon } from '../log/logged-daemon.js'
import { openCommand } from '../open-command.js'
import type { Terminal } from '../output/terminal.js'
import { spawnRunner } from '../runner/spawn-runner.js'

export interface StartOptions {
  port?: string
  host?: string
  home?: string
  scripted?: string | true
  runner?: string
  open?: boolean
  json?: boolean
}

/** `prepare` runs when the daemon is up, before the ready message. */
export async function start(
  options: StartOptions,
  terminal: Terminal,
  prepare: (daemon: Daemon) => Promise<void> = async () => {},
): Promise<number> {
  // First of all: a signal that comes while it starts must still end it properly.
  let running: LoggedDaemon | null = null
  const end = () => endNow(running)
  const stopped = stopSignal(end)
  const { port, host } = options
  const home = homePath(options.home, process.env)
  const place = readChoice('--runner', options.runner ?? 'inside', ['inside', 'own'])
  running = await startLoggedDaemon({
    home,
    settings: { port, host },
    scripted: options.scripted ?? null,
    spawnRunner: place === 'own' ? () => spawnRunner(home, options.scripted ?? null) : undefined,
  })
  const { daemon, record } = running
  try {
    await prepare(daemon)
  } catch (error) {
    await daemon.close()
    throw error
  }
  if (options.json) {
    const { url, model } = daemon
    terminal.json({ event: 'ready', url, home: daemon.home, model, pid: process.pid })
  } else {
    terminal.note(welcome(daemon, options.scripted !== undefined, terminal))
  }
  if (options.open) openBrowser(daemon)
  record.info('stopping', { signal: await stopped })
  await closeInTime(daemon, end)
  return EXIT.done
}

function welcome(
  { loginUrl, home, model, keepsTranscripts }: Daemon,
  isAsked: boolean,
  { color }: Terminal,
): string {
  const why = isAsked ? 'as requested' : 'no account found'
  const explained =
    model === 'scripted'
      ? [
          `  Model      scripted (${why}): a script replies.`,
          `             ${color.dim('Sessions, tools and permissions are real, costs are simulated.')}`,
        ]
      : ['  Model      your Claude account']
  return [
    '',
    `  ${color.bold('Signalbox')} ${readVersion()}`,
    '',
    `  Dashboard  ${color.cyan(loginUrl)}`,
    `             ${color.dim(`The link works once, for ten minutes. "${openCommand(home, process.env)}" prints a new one.`)}`,
    `  Data       ${home}`,
    ...explained,
    ...(keepsTranscripts ? kept(color) : []),
    '',
    `  ${color.dim('Press Ctrl-C to stop.')}`,
    '',
  ].join('\n')
}

/** The import is on by default: the message says so, and how to change that. */
function kept(color: Terminal['color']): string[] {
  const exclude = 'To leave folders out: transcripts.exclude in config.jsonc. To keep none: transcripts.keep.'
  return [
    '  Terminals  Conversations of "claude" are kept, also earlier ones: "signalbox sessions --history".',
    `             ${color.dim(exclude)}`,
  ]
}

function stopSignal(end: () => void): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => {
        // The same signal again exits at once. Another one does not: service managers send SIGHUP behind SIGTERM.
        process.once(signal, end)
        resolve(signal)
      })
    }
  })
}

/**
 * `process.exit` waits for the threads of the pool, and one of them may be what does not come to its end: a read from a file
 * system that does not answer. The store survives a kill at any moment. A shell shows this end as exit code 137. The processes of
 * the sessions go first: without the daemon they would run unattended.
 */
function endNow(running: LoggedDaemon | null): void {
  try {
    running?.daemon.killProcesses()
    running?.record.info('stopped_by_force', { pid: process.pid })
    writeSync(2, 'Signalbox could not stop everything in time. The next start closes what is left open.\n')
  } finally {
    process.kill(process.pid, 'SIGKILL')
  }
}

/** By way of a file that only its owner can read: argv is visible to every user of the machine. */
function openBrowser({ loginUrl, home }: Daemon): void {
  const file = join(home, 'open.html')
  rmSync(file, { force: true })
  writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${loginUrl}">\n`, {
    mode: 0o600,
  })
  const command = process.platform === 'darwin' ? 'open' : 'xdg-open'
  // A machine without a browser is fine: the address has been printed.
  spawn(command, [file], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}
