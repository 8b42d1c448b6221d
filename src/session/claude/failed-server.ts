/** Reports MCP servers that did not start: each once per process, with the reason that the CLI gives. */

import { asList, asRecord, asText } from '../../lib/read-json.js'
import type { EventDraft } from '../../protocol/event/event.js'
import { raiseNotice } from '../../protocol/event/notice.js'
import { reason } from '../../protocol/reason/reason.js'

export interface FailedServersDeps {
  /** The servers as the CLI sees them now. */
  inspect(): Promise<unknown>
  write(drafts: readonly EventDraft[]): void
  hasEnded(): boolean
}

export class FailedServers {
  readonly #deps: FailedServersDeps
  readonly #reported = new Set<string>()

  constructor(deps: FailedServersDeps) {
    this.#deps = deps
  }

  /** `init` names the servers and whether they run, but not why one does not. */
  async report(init: unknown): Promise<void> {
    const failed = asList(asRecord(init)['mcp_servers'])
      .map(asRecord)
      .filter(({ status }) => status === 'failed')
      .flatMap(({ name }) => asText(name) ?? [])
      .filter((name) => !this.#reported.has(name))
    if (failed.length === 0) return
    for (const name of failed) this.#reported.add(name)
    const servers = asList(await this.#deps.inspect().catch(() => [])).map(asRecord)
    if (this.#deps.hasEnded()) return
    this.#deps.write(
      failed.map((name) =>
        noticeOf(name, asText(servers.find((server) => server['name'] === name)?.['error'])),
      ),
    )
  }
}

function noticeOf(server: string, given: string | null): EventDraft {
  if (given === null)
    return raiseNotice('error', 'mcp', reason('notice.server-failed-silently', { server }), { server })
  const why = reason('notice.server-failed', { server, reason: given })
  return raiseNotice('error', 'mcp', why, { server, reason: given })
}
