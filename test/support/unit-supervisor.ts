/**
 * Runs a systemd unit where systemd does not run: ExecStart, Environment, EnvironmentFile, UMask, WorkingDirectory and
 * NoNewPrivileges as they are in the file, a restart after a failure. It restarts at once, since tests do not wait.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import {
  parseUnit,
  readCommand,
  readDirectory,
  readEnvironment,
  readEnvironmentFile,
  readGlob,
} from './systemd-unit.js'
import { whenDone } from './when-done.js'

/** Runs the rest of its words with a umask, in a folder. */
const RUN = 'umask "$1" && cd "$2" && shift 2 && exec "$@"'

export interface Supervisor {
  /** Of the process that runs now; null while there is none. */
  pid(): number | null
  /** Exit codes and signals of the processes that have ended. */
  ends(): string[]
  output(): string
  /** As `systemctl stop` does: no restart. Resolves when the process has ended. */
  stop(): Promise<void>
}

export function superviseUnit(file: string, login: Record<string, string>): Supervisor {
  const unit = parseUnit(readFileSync(file, 'utf8'))
  const value = (name: string) => unit.value('Service', name) ?? ''
  const environmentFile = readGlob(value('EnvironmentFile'))
  const prevented = value('RestartPreventExitStatus').split(' ').map(Number)
  const isRestarted = value('Restart') === 'on-failure'
  const hasSetpriv = spawnSync('setpriv', ['--version']).status === 0
  const noPrivileges =
    value('NoNewPrivileges') === 'yes' && hasSetpriv ? ['setpriv', '--no-new-privs', '--'] : []
  const ends: string[] = []
  let output = ''
  let child: ChildProcess | null = null
  let isStopping = false

  const start = () => {
    const variables = existsSync(environmentFile)
      ? readEnvironmentFile(readFileSync(environmentFile, 'utf8'))
      : {}
    const started = spawn(
      'sh',
      [
        '-c',
        RUN,
        'sh',
        value('UMask'),
        readDirectory(value('WorkingDirectory')),
        ...noPrivileges,
        ...readCommand(value('ExecStart')),
      ],
      {
        env: { ...login, ...readEnvironment(value('Environment')), ...variables },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    for (const stream of [started.stdout, started.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    started.once('exit', (code, signal) => {
      child = null
      ends.push(signal ?? String(code))
      const isFailure = code !== 0 && !prevented.includes(code ?? -1)
      if (isRestarted && isFailure && !isStopping) start()
    })
    child = started
  }
  const stop = async () => {
    isStopping = true
    if (!child) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  start()
  whenDone(stop)
  return { pid: () => child?.pid ?? null, ends: () => ends, output: () => output, stop }
}
