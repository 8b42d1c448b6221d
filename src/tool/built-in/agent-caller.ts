/** `agent_caller`: runs another configured agent as a child session and returns what it came to. */

import { resolve } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../lib/clock.js'
import type { AgentConfig, AgentLimits, Agents } from '../../protocol/agent.js'
import type { Outcome } from '../../protocol/value.js'
import { defineTool, type Tool, type ToolContext, ToolFailure } from '../tool.js'
import { type InFlight, judgeAgentCall, type Lineage } from './agent-call.js'

const Input = z.object({
  target_agent: z.string().describe('Target agent name'),
  message: z.string().describe('Message to send to agent'),
  context: z.record(z.string(), z.unknown()).optional().describe('Additional context'),
})

/** A child session that is to be run. */
export interface ChildCall {
  agent: string
  definition: AgentConfig
  message: string
  cwd: string
  parentId: string
  parentToolUseId: string | null
  budgetUsd: number
  /** When it aborts, the child and all that it has started must be stopped. */
  signal: AbortSignal
  /** Progress of the child, for users. */
  onProgress(text: string): void
}

export interface ChildResult {
  sessionId: string
  outcome: Outcome
  /** The last thing that it said. */
  text: string | null
  costUsd: number | null
  /** Why it was interrupted or failed. */
  reason: string | null
}

/** Port to the runner of sessions. */
export interface AgentPort {
  lineageOf(sessionId: string): Promise<Lineage>
  /** Resolves when the child has ended, whichever way; rejects if it could not be started. */
  run(call: ChildCall): Promise<ChildResult>
}

export interface AgentCallerDeps {
  agents: Agents
  limits: AgentLimits
  port: AgentPort
  clock: Clock
}

const MAX_MESSAGE = 200_000
/** Grace period for a child after it was interrupted. */
const STOP_GRACE_MS = 15_000

export function createAgentCaller(deps: AgentCallerDeps): Tool {
  const { agents, limits, port } = deps
  /** By the root of the tree. The log knows only what has ended or been paid for. */
  const inFlight = new Map<string, InFlight>()

  async function call(args: z.output<typeof Input>, context: ToolContext): Promise<string> {
    const message = messageOf(args)
    const lineage = await port.lineageOf(context.sessionId)
    const running = inFlight.get(lineage.rootId) ?? { calls: 0, budgetUsd: 0 }
    const verdict = judgeAgentCall(args.target_agent, agents, lineage, running, limits)
    if (verdict.kind === 'refused') throw new ToolFailure(verdict.reason)
    const definition = agents[args.target_agent]
    if (!definition) throw new ToolFailure(`There is no agent "${args.target_agent}".`)
    const { budgetUsd } = verdict
    inFlight.set(lineage.rootId, { calls: running.calls + 1, budgetUsd: running.budgetUsd + budgetUsd })
    try {
      return await runChild(
        {
          agent: args.target_agent,
          definition,
          message,
          cwd: resolve(context.workspace, definition.cwd ?? '.'),
          parentId: context.sessionId,
          parentToolUseId: context.toolUseId,
          budgetUsd,
          onProgress: context.progress,
        },
        context.signal,
        deps,
      )
    } finally {
      const now = inFlight.get(lineage.rootId) ?? { calls: 1, budgetUsd }
      if (now.calls <= 1) inFlight.delete(lineage.rootId)
      else inFlight.set(lineage.rootId, { calls: now.calls - 1, budgetUsd: now.budgetUsd - budgetUsd })
    }
  }

  return defineTool({
    name: 'agent_caller',
    description: `Gives a task to another agent, waits for it and returns its answer.${catalogue(agents)}`,
    // Without configured agents the tool is not published.
    ...(Object.keys(agents).length > 0 && { input: Input }),
    annotations: { title: 'Call an agent' },
    timeoutMs: limits.timeoutMs + 2 * STOP_GRACE_MS,
    run: call,
  })
}

function catalogue(agents: Agents): string {
  const lines = Object.entries(agents).map(([name, { description }]) =>
    description === undefined ? `- ${name}` : `- ${name}: ${description}`,
  )
  return lines.length === 0 ? ' No agents are configured.' : ` Agents:\n${lines.join('\n')}`.slice(0, 3_000)
}

function messageOf({ message, context }: z.output<typeof Input>): string {
  if (message.trim() === '') throw new ToolFailure('The message is empty.')
  const hasContext = context !== undefined && Object.keys(context).length > 0
  const whole = hasContext ? `${message}\n\nContext:\n${JSON.stringify(context, null, 2)}` : message
  if (whole.length <= MAX_MESSAGE) return whole
  throw new ToolFailure(`The message is longer than ${MAX_MESSAGE} characters. Put what is long into a file.`)
}

async function runChild(
  call: Omit<ChildCall, 'signal'>,
  signal: AbortSignal,
  { port, limits, clock }: AgentCallerDeps,
): Promise<string> {
  const deadline = new AbortController()
  const cancelDeadline = clock.after(limits.timeoutMs, () => deadline.abort())
  const stop = AbortSignal.any([signal, deadline.signal])
  try {
    const result = await orGivenUp(port.run({ ...call, signal: stop }), stop, clock)
    if (deadline.signal.aborted) {
      throw new ToolFailure(
        `${call.agent} was stopped: it took longer than ${limits.timeoutMs / 1_000} seconds.${wordsOf(result)}`,
      )
    }
    if (result === null) throw new ToolFailure(`${call.agent} was stopped.`)
    if (result.outcome === 'completed') return result.text || `${call.agent} has ended without a word.`
    const how = result.outcome === 'interrupted' ? 'was interrupted' : 'failed'
    throw new ToolFailure(
      `${call.agent} ${how}: ${result.reason ?? 'it is not known why'}.${wordsOf(result)}`,
    )
  } finally {
    cancelDeadline()
  }
}

/** Null if the child has not ended within the grace period after the interrupt. */
function orGivenUp(
  result: Promise<ChildResult>,
  stop: AbortSignal,
  clock: Clock,
): Promise<ChildResult | null> {
  return new Promise((resolvePromise, reject) => {
    const giveUp = () => clock.after(STOP_GRACE_MS, () => resolvePromise(null))
    if (stop.aborted) giveUp()
    else stop.addEventListener('abort', giveUp, { once: true })
    result.then(resolvePromise, reject)
  })
}

function wordsOf(result: ChildResult | null): string {
  return result?.text ? ` Its last words: ${result.text}` : ''
}
