/** A process whose control requests are answered in bounded time: one that hangs must not hang its callers. */

import type { Clock } from '../../lib/clock.js'
import { HubError } from '../../protocol/error.js'
import type { Claude, ClaudeMessage } from './port.js'

/** How long a process may take to answer a control request. */
export const CONTROL_MS = 10_000
/** Servers are started before this is answered. */
const SERVERS_MS = 60_000

export class ClaudeWithTimeouts implements Claude {
  readonly #claude: Claude
  readonly #clock: Clock

  constructor(claude: Claude, clock: Clock) {
    this.#claude = claude
    this.#clock = clock
  }

  get messages(): AsyncIterable<unknown> {
    return this.#claude.messages
  }

  get lastWords(): string {
    return this.#claude.lastWords
  }

  get keptId(): string | null {
    return this.#claude.keptId
  }

  detach(): void {
    this.#claude.detach()
  }

  send = (message: ClaudeMessage) => this.#claude.send(message)
  cancel: Claude['cancel'] = (uuid) => this.#within(CONTROL_MS, this.#claude.cancel(uuid))
  // Its caller has a limit of its own and must know of a late answer.
  interrupt: Claude['interrupt'] = () => this.#claude.interrupt()
  setPermissionMode: Claude['setPermissionMode'] = (mode) =>
    this.#within(CONTROL_MS, this.#claude.setPermissionMode(mode))
  setModel: Claude['setModel'] = (model) => this.#within(CONTROL_MS, this.#claude.setModel(model))
  setThinkingTokens: Claude['setThinkingTokens'] = (tokens) =>
    this.#within(CONTROL_MS, this.#claude.setThinkingTokens(tokens))
  setEffort: Claude['setEffort'] = (effort) => this.#within(CONTROL_MS, this.#claude.setEffort(effort))
  setMcpServers: Claude['setMcpServers'] = (servers) =>
    this.#within(SERVERS_MS, this.#claude.setMcpServers(servers))
  stopTask: Claude['stopTask'] = (taskId) => this.#within(CONTROL_MS, this.#claude.stopTask(taskId))
  inspect: Claude['inspect'] = (what) => this.#within(CONTROL_MS, this.#claude.inspect(what))
  holdOutput: Claude['holdOutput'] = (isHeld) => this.#claude.holdOutput(isHeld)
  close = () => this.#claude.close()
  kill = () => this.#claude.kill()

  #within<Value>(ms: number, asked: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      // A daemon that was suspended finds its timers due before it has read what came meanwhile: it reads that first.
      const cancel = this.#clock.after(ms, () =>
        setImmediate(() => setImmediate(() => reject(notResponding()))),
      )
      asked.then(resolve, reject).finally(cancel)
    })
  }
}

export function notResponding(): HubError {
  return new HubError(
    'claude_failed',
    'Claude Code is not responding. Stop the session to end its process, then send the message again.',
  )
}
