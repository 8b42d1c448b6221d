#!/usr/bin/env node
/**
 * A stand-in for the Claude Code CLI: speaks its standard input and output (stream-json and the control protocol) as
 * far as the Agent SDK needs it, calls no model and executes nothing. Chosen with the setting `claudePath`, for tests
 * that need hundreds of sessions or a CLI that misbehaves. A process takes some 45 MB and starts in 50 ms.
 *
 * The prompt is its script: each line is one step, done in order. A line that is no step is answered with "You said: …".
 *
 *   say TEXT               writes TEXT, in fragments
 *   talk N MS              writes N words, one every MS milliseconds
 *   wait MS                does nothing for a while
 *   hang                   does nothing until it is interrupted
 *   ask TOOL {INPUT}       calls a tool: PreToolUse is asked, then, if that says so, canUseTool. It does not run; the
 *                          result is "ran TOOL {INPUT}", with the input that was allowed, or the message of the denial
 *   question [{…}]         calls AskUserQuestion with these questions; the result holds the answers
 *   plan TEXT              calls ExitPlanMode with this plan
 *   elicit {…}             asks as an MCP server does: { serverName, message, requestedSchema } or { …, mode, url };
 *                          the answer is written as text
 *   crash [CODE]           ends at once, without a result
 *   kill                   is killed, as by the system
 *   ignore-term            from now on ignores SIGTERM, the end of its input, and interrupts
 *   orphan MS              starts a process of its own group that lives for MS milliseconds
 *
 * Messages that come while a turn runs are read after it, each in a turn of its own; an interrupt ends the turn.
 * It keeps a record of the conversation where the CLI does, so that it is resumed: with
 * CLAUDE_CODE_RESUME_INTERRUPTED_TURN=1 a turn that was cut off is resumed at the step that had not ended.
 *
 * Variables (session option `env`):
 *   STAND_IN_LEDGER=FILE   every decision that reaches it is appended there: { sessionId, toolUseId, tool, input, reply }
 *   STAND_IN_EXIT=CODE     ends at the start with this code and a line on standard error
 */

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const { env, stdout, stdin, pid } = process
const MODEL = 'stand-in'

if (env.STAND_IN_EXIT !== undefined) {
  process.stderr.write('stand-in: told to end at the start\n')
  process.exit(Number(env.STAND_IN_EXIT))
}

const flag = (name) => {
  const at = process.argv.findIndex((part) => part === `--${name}` || part.startsWith(`--${name}=`))
  if (at < 0) return null
  const [, value] = /^[^=]*=(.*)$/s.exec(process.argv[at]) ?? []
  return value ?? process.argv[at + 1] ?? null
}
const isFork = process.argv.includes('--fork-session')
const resumed = flag('resume')
const sessionId = (isFork ? null : resumed) ?? flag('session-id') ?? randomUUID()
let permissionMode = flag('permission-mode') ?? 'default'
let model = flag('model') ?? MODEL

const recordFolder = join(
  env.CLAUDE_CONFIG_DIR ?? join(env.HOME ?? '.', '.claude'),
  'projects',
  process.cwd().replaceAll(/[^a-zA-Z0-9]/g, '-'),
)
const recordFile = join(recordFolder, `${sessionId}.jsonl`)
if (resumed !== null && !isFork && !existsSync(recordFile)) {
  process.stderr.write(`No conversation found with session ID: ${resumed}\n`)
  process.exit(1)
}

const tell = (message) =>
  stdout.write(`${JSON.stringify({ ...message, uuid: randomUUID(), session_id: sessionId })}\n`)

function record(line) {
  mkdirSync(recordFolder, { recursive: true })
  appendFileSync(recordFile, `${JSON.stringify({ cwd: process.cwd(), sessionId, ...line })}\n`)
}

/** The turn that had begun and not ended: its prompt and how many of its steps were done. */
function cutOffTurn() {
  let turn = null
  for (const line of readFileSync(recordFile, 'utf8')
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))) {
    if (line.type === 'user') turn = { prompt: line.prompt, done: 0 }
    if (line.type === 'step' && turn) turn.done = line.done
    if (line.type === 'ended') turn = null
  }
  return turn
}

// The control protocol: requests in both directions, each answered once, by its id.

const open = new Map()
let hookIds = []
let isStubborn = false

function request(body, onCancel) {
  const request_id = randomUUID()
  const answered = new Promise((resolve, reject) => open.set(request_id, { resolve, reject }))
  stdout.write(`${JSON.stringify({ type: 'control_request', request_id, request: body })}\n`)
  const stop = onCancel(() => {
    open.get(request_id)?.reject(new Interrupted())
    stdout.write(`${JSON.stringify({ type: 'control_cancel_request', request_id })}\n`)
  })
  return answered.finally(() => {
    open.delete(request_id)
    stop()
  })
}

class Interrupted extends Error {}

const CONTROL = {
  initialize({ hooks }) {
    hookIds = (hooks?.PreToolUse ?? []).flatMap((matcher) => matcher.hookCallbackIds)
    setImmediate(resumeTurn)
    const lists = { commands: [], agents: [], models: [], account: {} }
    return { ...lists, output_style: 'default', hook_on_failure_supported: true, pid }
  },
  interrupt({ cancel_queued }) {
    if (isStubborn) return undefined
    const waiting = queue.map((message) => message.uuid)
    if (cancel_queued) queue.length = 0
    turn?.interrupt()
    return cancel_queued ? { still_queued: [], cancelled: waiting } : { still_queued: waiting }
  },
  set_permission_mode({ mode }) {
    permissionMode = mode
    tell({ type: 'system', subtype: 'status', status: null, permissionMode })
    return { mode }
  },
  set_model(body) {
    model = body.model ?? MODEL
    return {}
  },
  cancel_async_message({ message_uuid }) {
    const at = queue.findIndex((message) => message.uuid === message_uuid)
    if (at >= 0) queue.splice(at, 1)
    return { cancelled: at >= 0 }
  },
  mcp_set_servers: ({ servers }) => ({ added: Object.keys(servers ?? {}), removed: [], errors: {} }),
  mcp_status: () => ({ mcpServers: [] }),
}

function answer({ request_id, request: body }) {
  const response = (CONTROL[body.subtype] ?? (() => ({})))(body)
  if (response === undefined) return
  const reply = { subtype: 'success', request_id, response }
  stdout.write(`${JSON.stringify({ type: 'control_response', response: reply })}\n`)
}

// Turns.

const queue = []
let turn = null
let turns = 0

/** A turn that can be interrupted: keeps the list of actions to run when it is. */
function newTurn() {
  const onInterrupt = new Set()
  return {
    isInterrupted: false,
    interrupt() {
      this.isInterrupted = true
      for (const action of onInterrupt) action()
    },
    onInterrupt(action) {
      onInterrupt.add(action)
      return () => onInterrupt.delete(action)
    },
    wait(ms) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => end(resolve), ms)
        const stop = this.onInterrupt(() => end(() => reject(new Interrupted())))
        const end = (settle) => {
          clearTimeout(timer)
          stop()
          settle()
        }
      })
    },
  }
}

async function work() {
  if (turn) return
  for (let message = queue.shift(); message; message = queue.shift()) {
    await runTurn(message.uuid, promptOf(message), 0)
  }
  if (hasInputEnded && !isStubborn) process.exit(0)
}

function promptOf({ message: { content } }) {
  if (typeof content === 'string') return content
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

async function runTurn(uuid, prompt, done) {
  turn = newTurn()
  const startedAt = Date.now()
  if (done === 0) record({ type: 'user', uuid, prompt })
  tell({ type: 'command_lifecycle', command_uuid: uuid, state: 'started' })
  tell({
    type: 'system',
    subtype: 'init',
    cwd: process.cwd(),
    model,
    permissionMode,
    tools: [],
    mcp_servers: [],
    slash_commands: [],
    skills: [],
  })
  let text = ''
  try {
    const steps = prompt.split('\n').filter((line) => line.trim() !== '')
    for (const [index, line] of steps.entries()) {
      if (index < done) continue
      if (turn.isInterrupted) throw new Interrupted()
      text = (await step(line)) ?? text
      record({ type: 'step', done: index + 1 })
    }
    finish({ subtype: 'success', is_error: false, result: text, terminal_reason: 'completed' }, startedAt)
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    tell({
      type: 'user',
      message: { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] },
    })
    finish(
      { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools', errors: [] },
      startedAt,
    )
  }
  tell({ type: 'command_lifecycle', command_uuid: uuid, state: 'completed' })
  turn = null
}

function finish(outcome, startedAt) {
  turns += 1
  record({ type: 'ended' })
  tell({
    type: 'result',
    ...outcome,
    num_turns: 1,
    duration_ms: Date.now() - startedAt,
    total_cost_usd: turns / 1000,
    usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    modelUsage: { [MODEL]: { inputTokens: 10 * turns, outputTokens: 5 * turns, costUSD: turns / 1000 } },
  })
}

async function step(line) {
  const [, word = '', rest = ''] = /^(\S+) ?(.*)$/s.exec(line) ?? []
  switch (word) {
    case 'say':
      return write(rest.match(/.{1,12}/gs) ?? [], 0)
    case 'talk': {
      const [count, ms] = rest.split(' ').map(Number)
      return write(
        Array.from({ length: count }, (_, index) => `word${index} `),
        ms,
      )
    }
    case 'wait':
      return turn.wait(Number(rest))
    case 'hang':
      return turn.wait(2 ** 31 - 1)
    case 'ask': {
      const [, tool = '', input = '{}'] = /^(\S+) ?(.*)$/s.exec(rest) ?? []
      return callTool(tool, JSON.parse(input))
    }
    case 'question':
      return callTool('AskUserQuestion', { questions: JSON.parse(rest) })
    case 'plan':
      return callTool('ExitPlanMode', { plan: rest })
    case 'elicit':
      return elicit(JSON.parse(rest))
    case 'crash':
      return process.exit(Number(rest || 1))
    case 'kill':
      process.kill(pid, 'SIGKILL')
      return turn.wait(60_000)
    case 'ignore-term':
      isStubborn = true
      process.on('SIGTERM', () => {})
      return undefined
    case 'orphan':
      spawn(process.execPath, ['-e', `setTimeout(() => {}, ${Number(rest)})`], {
        detached: true,
        stdio: 'ignore',
      }).unref()
      return undefined
    default:
      return write([`You said: ${line}`], 0)
  }
}

async function write(parts, ms) {
  const id = `msg_${randomUUID()}`
  const stream = (event) => tell({ type: 'stream_event', event, parent_tool_use_id: null })
  stream({ type: 'message_start', message: { id, role: 'assistant', content: [] } })
  stream({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
  for (const text of parts) {
    if (ms > 0) await turn.wait(ms)
    stream({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })
  }
  const text = parts.join('')
  assistant(id, { type: 'text', text })
  return text
}

function assistant(id, block) {
  const message = { id, type: 'message', role: 'assistant', model, content: [block] }
  tell({ type: 'assistant', message, parent_tool_use_id: null })
}

async function callTool(tool, input) {
  const toolUseId = `toolu_${randomUUID().replaceAll('-', '')}`
  assistant(`msg_${randomUUID()}`, { type: 'tool_use', id: toolUseId, name: tool, input })
  const reply = await decide(tool, input, toolUseId)
  note({ toolUseId, tool, input, reply })
  const isError = reply.behavior === 'deny'
  const ran = reply.updatedInput ?? input
  const text = isError ? reply.message : `ran ${tool} ${JSON.stringify(ran)}`
  const result = {
    type: 'tool_result',
    tool_use_id: toolUseId,
    content: text,
    ...(isError && { is_error: true }),
  }
  tell({ type: 'user', message: { role: 'user', content: [result] }, parent_tool_use_id: null })
  for (const { type, mode } of reply.updatedPermissions ?? [])
    if (type === 'setMode') CONTROL.set_permission_mode({ mode })
  return text
}

async function decide(tool, input, toolUseId) {
  let isAsked = false
  for (const callback_id of hookIds) {
    const output = await request(
      {
        subtype: 'hook_callback',
        callback_id,
        tool_use_id: toolUseId,
        input: {
          hook_event_name: 'PreToolUse',
          session_id: sessionId,
          cwd: process.cwd(),
          tool_name: tool,
          tool_input: input,
          tool_use_id: toolUseId,
        },
      },
      (action) => turn.onInterrupt(action),
    )
    // A hook that fails blocks.
    if (output?.behavior === 'deny') return { ...output, by: 'hook' }
    const { permissionDecision, permissionDecisionReason, updatedInput } = output?.hookSpecificOutput ?? {}
    if (permissionDecision === 'deny')
      return { behavior: 'deny', message: permissionDecisionReason ?? 'denied', by: 'hook' }
    if (permissionDecision !== 'ask')
      return { behavior: 'allow', by: 'hook', ...(updatedInput && { updatedInput }) }
    isAsked = true
  }
  if (!isAsked && hookIds.length > 0) return { behavior: 'allow', by: 'hook' }
  return request(
    { subtype: 'can_use_tool', tool_name: tool, input, tool_use_id: toolUseId, permission_suggestions: [] },
    (action) => turn.onInterrupt(action),
  )
}

async function elicit({
  serverName = 'stand-in',
  message = 'Tell me',
  mode,
  url,
  elicitationId,
  requestedSchema,
}) {
  const asked = {
    mcp_server_name: serverName,
    message,
    mode,
    url,
    elicitation_id: elicitationId,
    requested_schema: requestedSchema,
  }
  const reply = await request({ subtype: 'elicitation', ...asked }, (action) => turn.onInterrupt(action))
  note({ toolUseId: null, tool: `elicit ${serverName}`, input: asked, reply })
  return write([`elicited ${JSON.stringify(reply)}`], 0)
}

function note(decision) {
  if (env.STAND_IN_LEDGER)
    appendFileSync(env.STAND_IN_LEDGER, `${JSON.stringify({ sessionId, ...decision })}\n`)
}

// Input: one JSON document a line.

let hasInputEnded = false
let rest = ''

function receive(message) {
  switch (message.type) {
    case 'control_request':
      return answer(message)
    case 'control_response': {
      const { subtype, request_id, response, error } = message.response
      const waiting = open.get(request_id)
      if (subtype === 'success') waiting?.resolve(response)
      else waiting?.resolve({ behavior: 'deny', message: error })
      return undefined
    }
    case 'user':
      tell({ type: 'command_lifecycle', command_uuid: message.uuid, state: 'queued' })
      queue.push(message)
      return void work()
    default:
      return undefined
  }
}

stdin.setEncoding('utf8')
stdin.on('data', (text) => {
  const lines = (rest + text).split('\n')
  rest = lines.pop() ?? ''
  for (const line of lines) if (line.trim() !== '') receive(JSON.parse(line))
})
stdin.on('end', () => {
  hasInputEnded = true
  if (isStubborn) setInterval(() => {}, 60_000)
  else if (!turn) process.exit(0)
  else setTimeout(() => process.exit(0), 10_000)
})

/** Race: not before `initialize`, which brings the hooks that are asked for each tool. */
function resumeTurn() {
  if (resumed === null || isFork || env.CLAUDE_CODE_RESUME_INTERRUPTED_TURN !== '1') return
  const cutOff = cutOffTurn()
  if (cutOff) void runTurn(randomUUID(), cutOff.prompt, cutOff.done).then(work)
}
