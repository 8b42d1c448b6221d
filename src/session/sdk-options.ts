/** From how a session is to be run to the options of the SDK. */

import type { HookJSONOutput, McpServerConfig, Options } from '@anthropic-ai/claude-agent-sdk'
import { asRecord, asText } from '../lib/loose.js'
import type { McpServers } from '../protocol/option.js'
import { claudeMode } from './claude-mode.js'
import type { ClaudeCallbacks, GateDecision, HookedCall, Launch, Start } from './claude-port.js'
import { MARK } from './process-identity.js'

export function sdkOptions(
  launch: Launch,
  callbacks: ClaudeCallbacks,
  mark: string,
  hasExited: () => boolean,
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
    ...plain
  } = options
  const chosenEffort = effort ?? ownEffort
  return {
    ...plain,
    cwd,
    env: { ...env, [MARK]: mark },
    permissionMode: claudeMode(permissionMode),
    ...(program !== null && { pathToClaudeCodeExecutable: program }),
    ...(model !== null && { model }),
    ...(chosenEffort && { effort: chosenEffort }),
    ...(thinkingTokens !== null && { maxThinkingTokens: thinkingTokens }),
    ...(betas && { betas: betas as NonNullable<Options['betas']> }), // The SDK lists those that it knows; the API decides.
    ...startOptions(start),
    mcpServers: sdkMcpServers(mcpServers, cwd),
    settingSources,
    // Servers come from us alone: what a repository names is read, checked and shown before it is started.
    strictMcpConfig: true,
    systemPrompt:
      typeof systemPrompt === 'string'
        ? systemPrompt
        : { type: 'preset', preset: 'claude_code', ...systemPrompt },
    settings: {
      // Other sessions of the same account can not put messages into this one.
      crossSessionInbound: 'refuse',
      useAutoModeDuringPlan: false,
    },
    includePartialMessages: true,
    includeHookEvents: true,
    forwardSubagentText: true,
    // An interrupt stops the turn, not what runs in the background; tasks are stopped one by one.
    perTaskStopAffordance: true,
    hooks: {
      PreToolUse: [
        {
          // Whatever goes wrong in the gate, the call does not run.
          onFailure: 'block',
          hooks: [
            async (call, toolUseId) => hookOutput(await callbacks.preToolUse(hookedCall(call, toolUseId))),
          ],
        },
      ],
    },
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
      if (!reply.allow) return { behavior: 'deny', message: reply.message }
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

/** The SDK aborts everything when the process is gone; that alone takes no question back. */
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

/** The SDK can not start a program in a folder of its own; a shell can. */
export function sdkMcpServers(servers: McpServers, cwd: string): Record<string, McpServerConfig> {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]): [string, McpServerConfig] => {
      if ('url' in server) return [name, server]
      const { cwd: folder = cwd, command, args = [], ...rest } = server
      if (folder === cwd) return [name, { command, args, ...rest }]
      return [
        name,
        { ...rest, command: 'sh', args: ['-c', 'cd "$0" && exec "$@"', folder, command, ...args] },
      ]
    }),
  )
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
    ...(agentId !== null && { agentId }),
    ...(agentType !== null && { agentType }),
    ...(cwd !== null && { cwd }),
  }
}

function hookOutput(decision: GateDecision): HookJSONOutput {
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: decision.decision,
      ...(decision.decision === 'deny' && { permissionDecisionReason: decision.reason }),
    },
  }
}
