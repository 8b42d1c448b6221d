/**
 * Port from the hub to the runner. Durable commands go through the journal; ephemeral ones (interrupt, stop)
 * go over the bus.
 */

import type { RunnerCommand, RunnerCommandName, RunnerReply } from '../protocol/api-body.js'

export type CommandHandler = (command: RunnerCommand) => Promise<unknown>

export interface Bus {
  /** Resolves with the runner's reply; rejects with its error, or when there is no runner. */
  call<Name extends RunnerCommandName>(command: RunnerCommand<Name>): Promise<RunnerReply<Name>>
  /** Takes the commands from now on. The function it returns ends that. */
  serve(handle: CommandHandler): () => void
}
