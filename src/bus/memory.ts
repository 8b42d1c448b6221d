/** Hub and runner in one process. */

import { HubError } from '../protocol/error.js'
import type { RunnerCommand, RunnerCommandName, RunnerReply } from '../protocol/runner-command.js'
import type { Bus, CommandHandlers } from './port.js'

type Handler = (command: RunnerCommand, signal: AbortSignal) => Promise<unknown>

export function createMemoryBus(): Bus {
  const serving = new Map<string, Handler>()
  return {
    async call<Name extends RunnerCommandName>(
      command: RunnerCommand<Name>,
      signal = new AbortController().signal,
    ): Promise<RunnerReply<Name>> {
      const handle = serving.get(command.type)
      if (!handle) throw noRunner()
      // Each handler is registered under the name of its command; the compiler cannot see that.
      return await handle(command as RunnerCommand, signal)
    },
    serve(handlers: Partial<CommandHandlers>) {
      const own = Object.entries(handlers) as [string, Handler][] // As above.
      for (const [name, handle] of own) serving.set(name, handle)
      return () => {
        for (const [name, handle] of own) if (serving.get(name) === handle) serving.delete(name)
      }
    },
  }
}

function noRunner(): HubError {
  return new HubError('session_not_driven', 'No runner is available, for example during shutdown. Retry.')
}
