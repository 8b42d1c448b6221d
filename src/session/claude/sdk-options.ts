/** From how a session is to be run to the options of the SDK. */

import type { HookJSONOutput, McpServerConfig, Options } from '@anthropic-ai/claude-agent-sdk'
import { combineOutcomes, sdkOutputOf } from '../../hook/verdict.js'
import { asRecord, asText } from '../../lib/read-json.js'
import type { McpServer, McpServers } from '../../protocol/option/option.js'
import { SERVER_NAME } from '../../protocol/tool.js'
import { claudeMode } from './mode.js'
import type { ClaudeCallbacks, HookedCall, HookedDecision, HookedEvent, Launch, Start } from './port.js'
import { MARK } from './process-identity.js'

/** `own` are servers that live in this process, by name. */
export function sdkOptions(
  launch: Launch,
  callbacks: ClaudeCallbacks,
  mark: string,
  hasExited: () => boolean,
  own: Record<string, McpServerConfig> = {},
): Options {
  const { cwd, env, program, model, permissionMode, thinkingTokens, effort, options, mcpServers, start } =
    launch
  const {
    systemPrompt,
    settingSources = [],
    env: _,
    mcpServers: __,
    effort: ownEffort,
    betas,
    allowedTools = [],
    disallowedTools = [],
    ...plain
  } = options
  const [allowedNames, allowedRules] = namesAndRules(allowedTools)
  const [disallowedNames, disallowedRules] = namesAndRules(disallowedTools)
  const chosenEffort = effort ?? ownEffort
  return {
    ...plain,
    ...(allowedNames.length > 0 && { allowedTools: allowedNames }),
    ...(disallowedNames.length > 0 && { disallowedTools: disallowedNames }),
    cwd,
    env: { ...env, [MARK]: mark },
    permissionMode: claudeMode(permissionMode),
    ...(program !== null && { pathToClaudeCodeExecutable: program }),
    ...(model !== null && { model }),
    ...(chosenEffort && { effort: chosenEffort }),
    ...(thinkingTokens !== null && { maxThinkingTokens: thinkingTokens }),
    ...(betas && { betas: betas as NonNullable<Options['betas']> }), // The SDK lists those that it knows; the API decides.
    ...startOptions(start),
    mcpServers: { ...sdkMcpServers(mcpServers, cwd), ...own },
    settingSources,
    // Servers come from us alone: what a repository names is read, checked and shown before it is started.
    strictMcpConfig: true,
    systemPrompt:
      typeof systemPrompt === 'string'
        ? systemPrompt
        : { type: 'preset', preset: 'claude_code', ...systemPrompt },
    settings: {
      // Other sessions of the same account cannot put messages into this one.
      crossSessionInbound: 'refuse',
      useAutoModeDuringPlan: false,
      // Commands in the text of skills and slash commands would run without a tool call, and so beside the gate.
      disableSkillShellExecution: true,
      ...(launch.excludedMemory.length > 0 && { claudeMdExcludes: [...launch.excludedMemory] }),
      permissions: {
        deny: [...launch.deniedReads, ...disallowedRules],
        ...(allowedRules.length > 0 && { allow: allowedRules }),
      },
    },
    includePartialMessages: true,
    includeHookEvents: true,
    forwardSubagentText: true,
    // An interrupt stops the turn, not what runs in the background; tasks are stopped one by one.
    perTaskStopAffordance: true,
    hooks: sdkHooks(launch.hooks, callbacks),
    canUseTool: async (name, input, { signal, toolUseID, agentID, suggestions = [], decisionReason }) => {
      const reply = await callbacks.canUseTool({
        toolUseId: toolUseID,
        name,
        input,
        suggestions,
        signal: whileAlive(signal, hasExited),
        reason: decisionReason || null,
        ...(agentID !== undefined && { agentId: agentID }),
      })
      if (!reply.allow) {
        const { message, interrupt } = reply
        return { behavior: 'deny', message, ...(interrupt && { interrupt }) }
      }
      return {
        behavior: 'allow',
        updatedInput: reply.input,
        ...(reply.mode && {
          updatedPermissions: [{ type: 'setMode', mode: claudeMode(reply.mode), destination: 'session' }],
        }),
      }
    },
    onElicitation: async (request, { signal }) => {
      const { serverName: server, message, mode, url, requestedSchema: schema } = request
      const form =
        mode === 'url' ? { server, message, url: url ?? '' } : { server, message, ...(schema && { schema }) }
      return callbacks.elicit(form, whileAlive(signal, hasExited))
    },
  }
}

/** Names of tools become arguments of the process. A rule (`Bash(curl -H …:*)`) may hold a secret, and goes with the settings. */
function namesAndRules(tools: readonly string[]): [names: string[], rules: string[]] {
  return [tools.filter((tool) => !tool.includes('(')), tools.filter((tool) => tool.includes('('))]
}

/** The SDK aborts everything when the process is gone; that alone cancels no question. */
function whileAlive(signal: AbortSignal, hasExited: () => boolean): AbortSignal {
  const takenBack = new AbortController()
  const onAbort = () => {
    if (!hasExited()) takenBack.abort()
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return takenBack.signal
}

function startOptions(start: Start): Options {
  const at = start.kind !== 'new' && start.at !== null ? { resumeSessionAt: start.at } : {}
  switch (start.kind) {
    case 'new':
      return { sessionId: start.id }
    case 'resume':
      return { resume: start.id, ...at }
    case 'fork':
      return { resume: start.from, forkSession: true, sessionId: start.id, ...at }
  }
}

/** The name of our own MCP server is reserved: the policy knows the effects of its tools by that name. */
export function sdkMcpServers(servers: McpServers, cwd: string): Record<string, McpServerConfig> {
  const others = Object.entries(servers).filter(([name]) => name.toLowerCase() !== SERVER_NAME)
  return Object.fromEntries(others.map(([name, server]) => [name, sdkMcpServer(server, cwd)]))
}

/** The SDK cannot start a program in a folder of its own; a shell can. */
function sdkMcpServer(server: McpServer, cwd: string): McpServerConfig {
  if ('url' in server) return server
  const { cwd: folder = cwd, command, args = [], ...rest } = server
  if (folder === cwd) return { command, args, ...rest }
  return { ...rest, command: 'sh', args: ['-c', 'cd "$0" && exec "$@"', folder, command, ...args] }
}

function hookedCall(hookInput: unknown, toolUseId: string | undefined): HookedCall {
  const call = asRecord(hookInput)
  const agentId = asText(call['agent_id'])
  const agentType = asText(call['agent_type'])
  const cwd = asText(call['cwd'])
  return {
    toolUseId: asText(call['tool_use_id']) ?? toolUseId ?? '',
    name: asText(call['tool_name']) ?? '',
    input: call['tool_input'],
    event: call,
    ...(agentId !== null && { agentId }),
    ...(agentType !== null && { agentType }),
    ...(cwd !== null && { cwd }),
  }
}

/**
 * How long the gate itself may take: longer than a process is kept without a daemon (`keepMs`), as it cannot answer meanwhile. The
 * CLI (2.1.325) denies a call when the time is up.
 */
const GATE_MS = 24 * 60 * 60_000
const NO_VERDICT = combineOutcomes([])

function sdkHooks(events: readonly HookedEvent[], callbacks: ClaudeCallbacks): NonNullable<Options['hooks']> {
  const before = events.find(({ event }) => event === 'PreToolUse')
  const hooks: NonNullable<Options['hooks']> = {
    PreToolUse: [
      {
        // Whatever goes wrong in the gate, the call does not run.
        onFailure: 'block',
        timeout: seconds(GATE_MS + (before?.timeoutMs ?? 0)),
        hooks: [
          async (call, toolUseId, { signal }) =>
            gateOutput(await callbacks.preToolUse(hookedCall(call, toolUseId), signal)),
        ],
      },
    ],
  }
  for (const { event, matcher, timeoutMs } of events) {
    if (event === 'PreToolUse') continue
    hooks[event] = [
      {
        ...(matcher !== undefined && { matcher }),
        timeout: seconds(GATE_MS + timeoutMs),
        hooks: [
          async (input, _, { signal }) =>
            // The SDK has a type for each event; what we make is right for whichever it is.
            (await callbacks.hook(event, asRecord(input), signal)) as HookJSONOutput,
        ],
      },
    ]
  }
  return hooks
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1_000)
}

function gateOutput({ hooked, ...gate }: HookedDecision): HookJSONOutput {
  const verdict = hooked ?? NO_VERDICT
  const reason = gate.decision === 'deny' ? gate.reason : null
  const updatedInput = (gate.decision === 'allow' && gate.updatedInput) || verdict.updatedInput
  return sdkOutputOf('PreToolUse', {
    ...verdict,
    decision: gate.decision,
    reason,
    updatedInput,
  }) as HookJSONOutput
}
