/** How the hub reaches the runner. What must not be lost goes through the journal; this carries what is only for now. */

import type { RunnerCommand } from '../protocol/command.js'

export interface Bus {
  /** Resolves when the runner has done it; rejects with the runner's error, or when there is no runner. */
  call(command: RunnerCommand): Promise<void>
  /** Takes the commands from now on. The function it returns ends that. */
  serve(handle: (command: RunnerCommand) => Promise<void>): () => void
}
