/** Hub and runner in one process. */

import type { RunnerCommand, RunnerCommandName, RunnerReply } from '../protocol/api-body.js'
import { HubError } from '../protocol/error.js'
import type { Bus, CommandHandler } from './port.js'

export function createMemoryBus(): Bus {
  let serving: CommandHandler | null = null
  return {
    async call<Name extends RunnerCommandName>(command: RunnerCommand<Name>): Promise<RunnerReply<Name>> {
      if (!serving) {
        throw new HubError(
          'session_not_driven',
          'No runner is available, for example during shutdown. Retry.',
        )
      }
      // Each command is one of them; the compiler cannot see that for a name that it does not know.
      return serving(command as RunnerCommand)
    },
    serve(handle) {
      serving = handle
      return () => {
        if (serving === handle) serving = null
      }
    },
  }
}
