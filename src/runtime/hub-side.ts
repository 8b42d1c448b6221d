/**
 * The hub side of a runtime: journal, inbox, policy and hub, as reached by users and clients. Owns the store and starts
 * no process.
 */

import type { Bus } from '../bus/port.js'
import type { Config } from '../config.js'
import { type AgentCalls, createAgentCalls } from '../hub/agent-calls.js'
import { createHub } from '../hub/hub.js'
import { createPolicyWatch } from '../hub/policy-watch.js'
import type { Hub, HubDeps } from '../hub/port.js'
import { createInbox, type Inbox } from '../inbox/inbox.js'
import { createJournal, type Journal } from '../journal/journal.js'
import type { Clock } from '../lib/clock.js'
import { Closers } from '../lib/closers.js'
import type { IdSource } from '../lib/id.js'
import type { EffectivePolicy } from '../policy/call.js'
import { exactGrant } from '../policy/rule/grant.js'
import { createPolicyResolver, type PolicyResolver } from '../policy/source/effective-policy.js'
import type { Session } from '../protocol/session.js'
import { isTrusted } from '../protocol/workspace.js'
import type { Store } from '../store/port.js'

export interface HubSideParts {
  store: Store
  bus: Bus
  clock: Clock
  ids: IdSource
  config: Config
  /** The folder of the policy file. */
  home: string
  /** Home folder of the user that the CLI runs as. */
  userHome: string
  learnSecrets: HubDeps['learnSecrets']
  onFault(error: unknown): void
}

/**
 * Direct calls from the hub side to the runner side, besides the journal and the bus. A runner in another process would
 * have to answer these over a link, so keep the list short.
 */
export interface RunnerAnswers
  extends Required<Pick<HubDeps, 'recovered' | 'recoveredAll'>>,
    Pick<HubDeps, 'tools' | 'terminals' | 'transcripts'> {}

export interface HubSide {
  readonly journal: Journal
  readonly inbox: Inbox
  readonly agentCalls: AgentCalls
  readonly policies: PolicyResolver
  /**
   * The policy in force for a session's calls. Rejects if the policy file cannot be read, or if another user could have
   * changed it.
   */
  policyFor(session: Session): Promise<EffectivePolicy>
  isTrusted(folder: string): Promise<boolean>
  /**
   * Must be called before `inbox.start`: the inbox asks the runner which terminal requests are held and which sessions
   * are recovered.
   */
  connect(runner: RunnerAnswers): void
  createHub(runner: RunnerAnswers): Hub
  close(): Promise<void>
}

export async function createHubSide(parts: HubSideParts): Promise<HubSide> {
  const { store, bus, clock, ids, config, home, userHome, learnSecrets, onFault } = parts
  const { permissionTimeoutMs, questionTimeoutMs, whenBusy, agents, mcpServers, allowedVariables } = config
  const closers = new Closers(onFault)
  let connected: RunnerAnswers | undefined
  try {
    const journal = closers.add(createJournal({ store, clock, ids }), (it) => it.close())
    const inbox = closers.add(
      createInbox({
        journal,
        store,
        clock,
        ids,
        grantFor: exactGrant,
        permissionTimeoutMs,
        questionTimeoutMs,
        isHeld: (requestId) => connected?.terminals?.isHeld(requestId) ?? false,
        recovered: async (sessionId) => connected?.recovered(sessionId),
        onFault,
      }),
      (it) => it.close(),
    )
    const policies = createPolicyResolver(home, config)
    const policyWatch = createPolicyWatch({ path: policies.path, store, clock })
    await policyWatch.check()
    const isFolderTrusted = async (folder: string) => isTrusted(folder, await store.trustedWorkspaces())
    const agentCalls = closers.add(
      createAgentCalls({
        journal,
        store,
        bus,
        ids,
        agents,
        whenBusy,
        ownHomes: policies.ownHomes,
        learnSecrets,
        onFault,
      }),
      (it) => it.close(),
    )
    return {
      journal,
      inbox,
      agentCalls,
      policies,
      async policyFor({ cwd, policy }) {
        await policyWatch.check()
        return policies.at({ workspace: cwd, preset: policy, isTrusted: await isFolderTrusted(cwd) })
      },
      isTrusted: isFolderTrusted,
      connect: (runner) => {
        connected = runner
      },
      createHub: (runner) =>
        createHub({
          journal,
          store,
          inbox,
          bus,
          ids,
          clock,
          whenBusy,
          agents,
          mcpServers,
          allowedVariables,
          tools: () => runner.tools(),
          recovered: (sessionId) => runner.recovered(sessionId),
          recoveredAll: (sessionIds) => runner.recoveredAll(sessionIds),
          learnSecrets,
          terminals: runner.terminals,
          transcripts: runner.transcripts,
          policyResolver: policies,
          policyWatch,
          userHome,
        }),
      close: () => closers.close(),
    }
  } catch (error) {
    await closers.close()
    throw error
  }
}
