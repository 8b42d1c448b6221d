/**
 * Wires the parts of a runtime together, for the daemon, for embedding programs and for tests: around a database or a
 * memory store, the real CLI or a fake. Ownership: the caller opens and closes the parts; `close` here closes only the
 * objects created here.
 */

import type { Hub } from '../hub/port.js'
import { Closers } from '../lib/closers.js'
import { createMemoryLink } from '../link/memory.js'
import { LOCAL_MACHINE } from '../protocol/choice.js'
import { mergeOptions } from '../protocol/option/option.js'
import { createLearnSecrets } from '../session/session-secrets.js'
import { createHubSide, type HubSide, type HubSideParts } from './hub-side.js'
import { learnFolders, learnPast } from './known-secrets.js'
import { createRunnerSide, type RunnerSide, type RunnerSideParts } from './runner-side.js'
import { createTerminalSide, type TerminalSideParts } from './terminal-side.js'

/** The parts of both sides. Shared ones (store, bus, clock, ids, configuration) are given once. */
export interface RuntimeParts
  extends Omit<HubSideParts, 'learnSecrets'>,
    Omit<RunnerSideParts, 'link'>,
    Pick<TerminalSideParts, 'openTerminals' | 'transcripts'> {}

export interface Assembly {
  readonly hub: Hub
  readonly hubSide: HubSide
  readonly runnerSide: RunnerSide
  /** Kills every process that the runner started. The parts stay open. Idempotent. */
  close(): Promise<void>
}

/**
 * Resolves when sessions can be created. Recovery of sessions of the previous run may still be in progress
 * (`Runner.start`).
 */
export async function assemble(parts: RuntimeParts): Promise<Assembly> {
  const { store, bus, secrets, clock, config, onFault } = parts
  const closers = new Closers(onFault)
  try {
    const inFolder = (path: string) => bus.call({ type: 'workspace.secrets', path })
    const learnSecrets = createLearnSecrets({ secrets, store, inFolder })
    const hubSide = closers.add(await createHubSide({ ...parts, learnSecrets }), (it) => it.close())
    const { journal, agentCalls, policyWatch } = hubSide
    const link = createMemoryLink({
      machine: LOCAL_MACHINE,
      journal,
      store,
      bus,
      agents: agentCalls,
      checkPolicy: () => policyWatch.check(),
    })
    const runnerSide = closers.add(await createRunnerSide({ ...parts, link }), (it) => it.close())
    const terminalSide = closers.add(
      createTerminalSide({
        learnFolder: async (path) => void secrets.learn(await inFolder(path).catch(() => []), 'file'),
        ...parts,
        journal,
      }),
      (it) => it.close(),
    )
    // Order matters: recovery writes to the logs of previous sessions, so their secrets must be redacted before it
    // starts.
    await learnPast(store, secrets, mergeOptions(config.defaults, { mcpServers: config.mcpServers }))
    await learnFolders({ store, secrets, clock }, inFolder).catch(onFault)
    await hubSide.inbox.start()
    await runnerSide.start()
    await terminalSide.start()
    return { hub: hubSide.createHub(), hubSide, runnerSide, close: () => closers.close() }
  } catch (error) {
    await closers.close()
    throw error
  }
}
