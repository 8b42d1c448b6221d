/** A program of the user gets each message as a CloudEvent in JSON on its standard input. */

import type { Clock } from '../../lib/clock.js'
import type { SettingsOf } from '../../protocol/notification/channel.js'
import { eventOfMessage, eventOfSettled } from './cloud-event.js'
import type { ChannelPort } from './port.js'
import { runProgram } from './program.js'

export interface CommandDeps {
  clock: Clock
  /** Of the daemon. */
  env: Readonly<Record<string, string | undefined>>
  /** The home, where it runs. */
  cwd: string
  source(): string
}

export function createCommand(
  settings: SettingsOf<'command'>,
  { clock, env, cwd, source }: CommandDeps,
): ChannelPort {
  const { command: argv, timeoutMs } = settings
  const run = async (event: object, signal: AbortSignal) => {
    const input = `${JSON.stringify(event)}\n`
    await runProgram({
      argv,
      env: pick(env, ['PATH', 'HOME', ...settings.env]),
      cwd,
      input,
      timeoutMs,
      signal,
    })
  }
  return {
    async send(message, signal) {
      await run(eventOfMessage(message, source()), signal)
      return { receipt: null }
    },
    withdraw: (message, signal) =>
      run(eventOfSettled(message, { source: source(), at: new Date(clock.now()).toISOString() }), signal),
    isPrivate: async () => true,
  }
}

export function pick(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
}
