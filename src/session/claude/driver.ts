/** The one file that drives the Agent SDK. Its results are types of ours. */

import { setTimeout as wait } from 'node:timers/promises'
import type {
  McpServerStatus,
  Query,
  SDKUserMessage,
  SpawnedProcess,
  SpawnOptions,
} from '@anthropic-ai/claude-agent-sdk'
import { AsyncQueue } from '../../lib/async-queue.js'
import type { Inspection } from '../../protocol/api-body.js'
import { failedResult } from '../../tool/output.js'
import { createToolServer, type ToolServer } from '../../tool/tool-server.js'
import { hideArguments } from './hidden-argument.js'
import { claudeMode } from './mode.js'
import type {
  Claude,
  ClaudeCallbacks,
  ClaudeMessage,
  ClaudePort,
  Launch,
  ProcessOptions,
  WarmClaude,
} from './port.js'
import { ClaudeProcess } from './process.js'
import { sdkMcpServers, sdkOptions } from './sdk-options.js'

const INTERRUPT_MS = 1_000
const EXIT_MS = 2_000

export const claudeDriver: ClaudePort = {
  async open(launch, callbacks, options) {
    const { query } = await loadSdk()
    const own = await ownServers(launch, callbacks)
    const behind = new ProcessHolder(options)
    const input = new AsyncQueue<SDKUserMessage>()
    const session = query({ prompt: input, options: behind.options(launch, callbacks, own) })
    return new SdkClaude(session, input, behind, launch.cwd, own)
  },

  async warm(launch, options): Promise<WarmClaude> {
    const { startup } = await loadSdk()
    const behind = new ProcessHolder(options)
    let owner: ClaudeCallbacks | null = null
    const callbacks = deferTo(() => owner)
    const own = await ownServers(launch, callbacks)
    const warm = await startup({ options: behind.options(launch, callbacks, own) })
    return {
      claim(ownerCallbacks) {
        owner = ownerCallbacks
        const input = new AsyncQueue<SDKUserMessage>()
        return new SdkClaude(warm.query(input), input, behind, launch.cwd, own)
      },
      async close() {
        warm.close()
        await behind.end(EXIT_MS)
      },
      get hasExited() {
        return behind.hasExited
      },
    }
  },
}

/** Loaded when it is needed: it is large, and who only watches terminals does not need it. */
function loadSdk() {
  return import('@anthropic-ai/claude-agent-sdk')
}

/** Callbacks of a warm process without an owner: every request is refused until a session owns it. */
function deferTo(owner: () => ClaudeCallbacks | null): ClaudeCallbacks {
  return {
    preToolUse: async (call, signal) =>
      owner()?.preToolUse(call, signal) ?? { decision: 'deny', reason: NO_OWNER },
    canUseTool: async (call) => owner()?.canUseTool(call) ?? { allow: false, message: NO_OWNER },
    elicit: async (form, signal) => owner()?.elicit(form, signal) ?? { action: 'cancel' },
    hook: async (event, input, signal) => owner()?.hook(event, input, signal) ?? {},
    callTool: async (request) => owner()?.callTool(request) ?? failedResult(NO_OWNER),
  }
}

const NO_OWNER = 'No session owns this process.'

type OwnServers = Record<string, ToolServer['config']>

/** The server of our own tools, if the agent has any. It ends with the query that it is given to. */
async function ownServers({ tools }: Launch, { callTool }: ClaudeCallbacks): Promise<OwnServers> {
  if (tools.length === 0) return {}
  const { config } = await createToolServer(tools, callTool)
  return { [config.name]: config }
}

/** The process behind a query, once the SDK has started it. */
class ProcessHolder {
  readonly #options: ProcessOptions
  #process: ClaudeProcess | null = null

  constructor(options: ProcessOptions) {
    this.#options = options
  }

  options(launch: Launch, callbacks: ClaudeCallbacks, own: OwnServers) {
    return {
      ...sdkOptions(launch, callbacks, this.#options.mark, () => this.hasExited, own),
      spawnClaudeCodeProcess: (request: SpawnOptions) => this.#spawn(request),
    }
  }

  #spawn(request: SpawnOptions): SpawnedProcess {
    const folder = this.#options.makeFolder()
    const args = hideArguments(request.args, folder.path)
    this.#process = new ClaudeProcess({ ...request, args }, this.#options.mark)
    const { child } = this.#process
    const { pid } = child
    void this.#process.exited.then(() => folder.remove())
    if (pid !== undefined) {
      folder.noteProcess(pid)
      this.#options.onSpawn(pid)
      void this.#process.exited.then(() => this.#options.onExit(pid))
    }
    const { stdin, stdout } = child
    // Node makes no pipes when the process, or the machine, has no descriptors left.
    if (!stdin || !stdout)
      throw new Error('Too many open files. Raise the limit of the daemon (ulimit -n), or lower maxLive.')
    return Object.assign(child, { stdin, stdout })
  }

  get hasExited(): boolean {
    return this.#process?.hasExited ?? false
  }

  holdOutput(isHeld: boolean): void {
    const stdout = this.#process?.child.stdout
    if (isHeld) stdout?.pause()
    else stdout?.resume()
  }

  get lastWords(): string {
    return this.#process?.lastWords ?? ''
  }

  async end(graceMs: number): Promise<void> {
    await this.#process?.end(graceMs)
  }

  async kill(): Promise<void> {
    await this.#process?.kill()
  }
}

class SdkClaude implements Claude {
  readonly #session: ControlledQuery
  readonly #input: AsyncQueue<SDKUserMessage>
  readonly #behind: ProcessHolder
  readonly #cwd: string
  readonly #own: OwnServers

  constructor(
    session: Query,
    input: AsyncQueue<SDKUserMessage>,
    behind: ProcessHolder,
    cwd: string,
    own: OwnServers,
  ) {
    this.#session = session as unknown as ControlledQuery // The two methods are there (0.3.325), only not in its types.
    this.#input = input
    this.#behind = behind
    this.#cwd = cwd
    this.#own = own
  }

  get messages(): AsyncIterable<unknown> {
    return this.#session
  }

  get lastWords(): string {
    return this.#behind.lastWords
  }

  send({ uuid, content, isVerbatim }: ClaudeMessage): void {
    this.#input.push({
      type: 'user',
      // The CLI tracks the delivery of a message by its uuid.
      uuid: uuid as NonNullable<SDKUserMessage['uuid']>,
      message: { role: 'user', content: typeof content === 'string' ? content : [...content] },
      parent_tool_use_id: null,
      origin: { kind: 'human' },
      priority: 'next',
      ...(isVerbatim && { client_composed: isVerbatim }),
    })
  }

  cancel: Claude['cancel'] = (uuid) => this.#session.cancelAsyncMessage(uuid)

  interrupt: Claude['interrupt'] = async () => {
    await this.#session.interrupt()
  }

  setPermissionMode: Claude['setPermissionMode'] = (mode) => this.#session.setPermissionMode(claudeMode(mode))
  setModel: Claude['setModel'] = (model) => this.#session.setModel(model)
  setThinkingTokens: Claude['setThinkingTokens'] = (tokens) => this.#session.setMaxThinkingTokens(tokens)
  setEffort: Claude['setEffort'] = (effortLevel) => this.#session.applyFlagSettings({ effortLevel })
  stopTask: Claude['stopTask'] = (taskId) => this.#session.stopTask(taskId)

  setMcpServers: Claude['setMcpServers'] = async (servers) => {
    // Those that are not named again are taken away, ours too.
    const { added, removed, errors } = await this.#session.setMcpServers({
      ...sdkMcpServers(servers, this.#cwd),
      ...this.#own,
    })
    return { added, removed, errors }
  }

  inspect: Claude['inspect'] = (what: Inspection): Promise<unknown> => {
    switch (what) {
      case 'commands':
        return this.#session.supportedCommands()
      case 'models':
        return this.#session.supportedModels()
      case 'agents':
        return this.#session.supportedAgents()
      case 'mcp':
        return this.#session.mcpServerStatus().then((servers) => servers.map(shownServer))
      case 'account':
        return this.#session.accountInfo()
      case 'context':
        return this.#session.getContextUsage()
    }
  }

  holdOutput: Claude['holdOutput'] = (isHeld) => this.#behind.holdOutput(isHeld)

  async close(): Promise<void> {
    // The end of a paused pipe is never reported.
    this.holdOutput(false)
    // Closing alone lets the turn go on for seconds, tools included; an interrupt ends it at once.
    const stopped = this.#session.interrupt({ cancelQueued: true }).catch(() => {})
    await Promise.race([stopped, wait(INTERRUPT_MS, undefined, { ref: false })])
    this.#input.end()
    this.#session.close()
    await this.#behind.end(EXIT_MS)
  }

  async kill(): Promise<void> {
    await this.#behind.kill()
    this.holdOutput(false)
    this.#input.end()
    this.#session.close()
  }
}

/** A server without its configuration: that has headers, variables, addresses and arguments with secrets of the home in them. */
function shownServer({ name, status, serverInfo, error, scope, tools }: McpServerStatus): object {
  return {
    name,
    status,
    ...(serverInfo && { serverInfo: { name: serverInfo.name, version: serverInfo.version } }),
    ...(error !== undefined && { error }),
    ...(scope !== undefined && { scope }),
    ...(tools && { tools: tools.map((tool) => ({ ...tool })) }),
  }
}

/** As the CLI says it (2.1.325). */

type ControlledQuery = Omit<Query, 'interrupt'> & {
  interrupt(options?: { cancelQueued: boolean }): Promise<unknown>
  cancelAsyncMessage(uuid: string): Promise<boolean>
}
