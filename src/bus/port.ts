/** How the hub reaches the runner. What must not be lost goes through the journal; this carries what is only for now. */

import type { RunnerCommand, RunnerCommandName, RunnerReply } from '../protocol/api-body.js'

export type CommandHandler = (command: RunnerCommand) => Promise<unknown>

export interface Bus {
  /** Resolves with the runner's reply; rejects with its error, or when there is no runner. */
  call<Name extends RunnerCommandName>(command: RunnerCommand<Name>): Promise<RunnerReply<Name>>
  /** Takes the commands from now on. The function it returns ends that. */
  serve(handle: CommandHandler): () => void
}
