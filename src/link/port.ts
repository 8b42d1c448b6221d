/**
 * The link of a runner to its hub: all that crosses between the two sides of a runtime. Events and fragments go up through
 * the journal, events of others come down from it, commands come down through `serve`, and state is read from the store.
 * Everything is plain data, as the two sides may be two processes.
 */

import type { Bus } from '../bus/port.js'
import type { Journal } from '../journal/journal.js'
import type { RunnerStore } from '../store/port/runner-store.js'
import type { AgentPort } from '../tool/built-in/agent-caller.js'

export interface HubLink {
  /** The machine whose sessions the runner drives. */
  readonly machine: string
  /** The hub alone numbers events: `append` resolves when it has stored them. Only the hub's own side closes it. */
  readonly journal: Journal
  /** The part of the hub's store that a runner may read and write. */
  readonly store: RunnerStore
  /** Runs the agents that agents call. */
  readonly agents: AgentPort
  /** Before the user's policy is used. Rejects if another user could have changed its file. */
  checkPolicy(): Promise<void>
  /** Takes these commands from now on. The function it returns ends that. */
  readonly serve: Bus['serve']
}
