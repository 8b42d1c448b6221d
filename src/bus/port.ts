/**
 * Port from the hub to the runner. Durable commands go through the journal; ephemeral ones (interrupt, inspect) and questions
 * that only the machine of the agents can answer go over the bus.
 */

import type { RunnerCommand, RunnerCommandName, RunnerReply } from '../protocol/runner-command.js'

/** `signal` aborts when the caller does not wait any more. */
export type CommandHandlers = {
  [Name in RunnerCommandName]: (
    command: RunnerCommand<Name>,
    signal: AbortSignal,
  ) => Promise<RunnerReply<Name>>
}

export interface Bus {
  /** Resolves with the runner's reply; rejects with its error, or when there is no runner. */
  call<Name extends RunnerCommandName>(
    command: RunnerCommand<Name>,
    signal?: AbortSignal,
  ): Promise<RunnerReply<Name>>
  /** Takes these commands from now on. The function it returns ends that. */
  serve(handlers: Partial<CommandHandlers>): () => void
}
