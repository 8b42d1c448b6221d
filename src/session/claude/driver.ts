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
import { readInput } from '../attach/input-journal.js'
import { KeptProcess } from '../attach/kept-process.js'
import type { KeptRecord, LaunchFolder } from '../attach/launch-folder.js'
import { keptRecordOf } from '../attach/launch-key.js'
import { type OutputScan, scanOutput } from '../attach/output-scan.js'
import { INPUT_FILE, OUTPUT_FILE } from '../keeper/keeper-protocol.js'
import { hideArguments } from './hidden-argument.js'
import { claudeMode } from './mode.js'
import { PipedProcess } from './piped-process.js'
import type {
  Claude,
  ClaudeCallbacks,
  ClaudeMessage,
  ClaudePort,
  Launch,
  LeftProcess,
  ProcessOptions,
  WarmClaude,
} from './port.js'
import type { CliProcess } from './process.js'
import { sdkMcpServers, sdkOptions } from './sdk-options.js'

const INTERRUPT_MS = 1_000
const EXIT_MS = 2_000

const INITIALIZE_MS = 5_000

export const claudeDriver: ClaudePort = {
  async open(launch, callbacks, options) {
    const { query } = await loadSdk()
    const own = await ownServers(launch, callbacks)
    const behind = await ProcessHolder.create(options)
    const input = new AsyncQueue<SDKUserMessage>()
    const session = query({ prompt: input, options: behind.options(launch, callbacks, own) })
    return new SdkClaude(session, input, behind, launch.cwd, own)
  },

  async warm(launch, options): Promise<WarmClaude> {
    const { startup } = await loadSdk()
    const behind = await ProcessHolder.create(options)
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

  async attach(launch, callbacks, left) {
    const { query } = await loadSdk()
    const { folder, kept } = left
    // With other settings it would continue with those that are not in force any more.
    if (kept.settings !== keptRecordOf(launch, kept.sdk).settings) return null
    const scan = scanOutput(folder.file(OUTPUT_FILE), readInput(folder.file(INPUT_FILE)))
    const again = new Set(scan.open.map(({ toolUseId }) => toolUseId))
    const repeated = repeatedCallbacks(callbacks, (toolUseId) => again.has(toolUseId))
    const own = await ownServers(launch, repeated)
    const behind = ProcessHolder.attached(left, scan)
    const input = new AsyncQueue<SDKUserMessage>()
    const session = query({ prompt: input, options: behind.options(launch, repeated, own) })
    const claude = new SdkClaude(session, input, behind, launch.cwd, own)
    const initialized = session.initializationResult().then(
      () => true,
      () => false,
    )
    if (await Promise.race([initialized, wait(INITIALIZE_MS, false, { ref: false })])) {
      behind.noteDriver()
      return claude
    }
    await claude.kill()
    return null
  },
}

/** Says of each call that is delivered again that it is: it may have been judged, asked about or begun already. */
function repeatedCallbacks(
  callbacks: ClaudeCallbacks,
  isRepeated: (toolUseId: string | null) => boolean,
): ClaudeCallbacks {
  const mark = (toolUseId: string | null) => (isRepeated(toolUseId) ? { isRepeated: true as const } : {})
  return {
    ...callbacks,
    preToolUse: (call, signal) => callbacks.preToolUse({ ...call, ...mark(call.toolUseId) }, signal),
    canUseTool: (call) => callbacks.canUseTool({ ...call, ...mark(call.toolUseId) }),
    callTool: (request) => callbacks.callTool({ ...request, ...mark(request.toolUseId) }),
  }
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
  readonly #isKept: boolean
  readonly #left: (LeftProcess & { scan: OutputScan }) | null
  #kept: KeptRecord | null = null
  #process: CliProcess | null = null
  #folder: LaunchFolder | null = null

  private constructor(
    options: ProcessOptions,
    isKept: boolean,
    left: (LeftProcess & { scan: OutputScan }) | null = null,
  ) {
    this.#options = options
    this.#isKept = isKept
    this.#left = left
  }

  /** Where the keeper cannot be started, the process is a child of this one. */
  static async create(options: ProcessOptions): Promise<ProcessHolder> {
    return new ProcessHolder(options, (await options.keeper?.ready()) ?? false)
  }

  static attached(left: LeftProcess, scan: OutputScan): ProcessHolder {
    return new ProcessHolder(left, true, { ...left, scan })
  }

  options(launch: Launch, callbacks: ClaudeCallbacks, own: OwnServers) {
    return {
      ...sdkOptions(launch, callbacks, this.#options.mark, () => this.hasExited, own),
      spawnClaudeCodeProcess: (request: SpawnOptions) => this.#spawn(request, launch),
    }
  }

  #spawn(request: SpawnOptions, launch: Launch): SpawnedProcess {
    const { keeper, mark } = this.#options
    this.#kept = this.#isKept ? keptRecordOf(launch, versionIn(request)) : null
    const folder = this.#options.makeFolder(this.#kept)
    this.#folder = folder
    const onSpawn = (pid: number) => {
      if (!this.#isKept) folder.noteProcess(pid)
      this.#options.onSpawn(pid)
      void this.#process?.exited.then(() => this.#options.onExit(pid))
    }
    if (this.#left) {
      const { kept, scan } = this.#left
      const isSame = kept.sdk === this.#kept?.sdk && kept.callbacks === this.#kept.callbacks
      const isQuiet = isSame && scan.initialized !== null
      this.#process = new KeptProcess({ folder, mark, onSpawn }, { ...this.#left, isQuiet })
    } else {
      const started = { ...request, args: hideArguments(request.args, folder.path) }
      if (this.#isKept && keeper)
        this.#process = new KeptProcess({ folder, mark, onSpawn }, { keeper, request: started })
      else {
        const piped = new PipedProcess(started, mark)
        this.#process = piped
        if (piped.pid !== undefined) onSpawn(piped.pid)
      }
    }
    void this.#process.exited.then(() => folder.remove())
    return this.#process.spawned
  }

  /** For the next run: it attaches quietly if it drives the process in the same way. */
  noteDriver(): void {
    if (this.#kept) this.#folder?.noteKept(this.#kept)
  }

  get keptId(): string | null {
    return this.#isKept ? (this.#folder?.id ?? null) : null
  }

  detach(): void {
    this.#process?.detach()
  }

  get hasExited(): boolean {
    return this.#process?.hasExited ?? false
  }

  holdOutput(isHeld: boolean): void {
    this.#process?.holdOutput(isHeld)
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

/** The SDK (0.3.325) says its version to the process. */
function versionIn({ env }: SpawnOptions): string {
  return env['CLAUDE_AGENT_SDK_VERSION'] ?? 'unknown'
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

  get keptId(): string | null {
    return this.#behind.keptId
  }

  detach(): void {
    this.#behind.detach()
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
