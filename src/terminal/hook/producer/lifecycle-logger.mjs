#!/usr/bin/env node
/**
 * The lifecycle hook for machines without a compiler and perl. Same contract as lifecycle-logger.c, which documents it.
 * A single file without imports of ours, because it is copied out of the package.
 */

import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import { connect } from 'node:net'

const INPUT_LIMIT = 64 << 20
const VALUE_LIMIT = 4 << 20
const { env } = process

process.exitCode = 0
try {
  if (!env.SIGNALBOX_CHILD) run()
} catch {
  // Never fail: an error of the hook must not disturb the user's session.
}

function run() {
  const input = readInput()
  if (input === null) return
  const hook = JSON.parse(input)
  if (!isText(hook.session_id) || hook.session_id === '') return
  const omitted = []
  const own = eventOf(hook)
  if (own === null) return
  const time = Date.now()
  const { eventType, phase, ...members } = own
  const line = {
    id: uuid(time),
    eventType,
    ...(phase && { phase }),
    occurredAtIso: new Date(time).toISOString(),
    sessionId: hook.session_id,
    provider: 'claude',
    projectPath: env.CLAUDE_PROJECT_DIR ?? null,
    cwd: isText(hook.cwd) ? hook.cwd : null,
    ...members,
    hookEvent: hook.hook_event_name,
    ...processOf(env.CLAUDE_PID ?? ''),
    entrypoint: env.CLAUDE_CODE_ENTRYPOINT,
    transcriptPath: hook.transcript_path,
    promptId: hook.prompt_id,
    agentId: hook.agent_id,
    agentType: hook.agent_type,
    permissionMode: hook.permission_mode,
  }
  for (const [name, value] of Object.entries(line)) {
    if (value === undefined || value === null || Buffer.byteLength(JSON.stringify(value)) <= VALUE_LIMIT)
      continue
    omitted.push(name)
    line[name] = name === 'prompt' ? null : undefined
  }
  if (omitted.length > 0) line.omitted = omitted
  append(Buffer.from(`${JSON.stringify(line)}\n`))
  const [, , home] = process.argv
  if (home && hook.hook_event_name === 'PermissionRequest') hold(home, line.id)
}

/** The process, and its PID namespace: containers have their own. */
function processOf(pid) {
  if (!/^[1-9]\d{0,10}$/.test(pid)) return {}
  try {
    return { pid: Number(pid), pidSpace: readlinkSync('/proc/self/ns/pid') }
  } catch {
    return { pid: Number(pid) }
  }
}

function readInput() {
  const parts = []
  let length = 0
  for (;;) {
    const part = Buffer.allocUnsafe(64 << 10)
    let got = 0
    try {
      got = readSync(0, part)
    } catch (error) {
      if (error.code !== 'EAGAIN') break
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
      continue
    }
    if (got === 0) break
    length += got
    if (length > INPUT_LIMIT) return null
    parts.push(part.subarray(0, got))
  }
  return Buffer.concat(parts).toString('utf8')
}

function isText(value) {
  return typeof value === 'string'
}

/** Maps a hook event to the fields of its line. Null if it produces no line. */
function eventOf(hook) {
  const { hook_event_name: event, tool_name: tool, notification_type: notification } = hook
  switch (event) {
    case 'SessionStart':
      if (hook.source === 'compact') return { eventType: 'context.lifecycle', phase: 'compacted' }
      return {
        eventType: 'session.lifecycle',
        phase: 'started',
        source: hook.source,
        model: hook.model,
        title: hook.session_title,
      }
    case 'SessionEnd':
      return { eventType: 'session.lifecycle', phase: 'ended', reason: hook.reason }
    case 'UserPromptSubmit':
      return { eventType: 'turn.start', prompt: isText(hook.prompt) ? hook.prompt : null }
    case 'Stop':
    case 'StopFailure':
      return {
        eventType: 'turn.end',
        outcome: event === 'Stop' ? 'completed' : 'failed',
        error: hook.error,
        lastAssistantMessage: hook.last_assistant_message,
        backgroundTasks: hook.background_tasks,
        stopHookActive: hook.stop_hook_active,
      }
    case 'UserPromptExpansion': {
      const skill = skillOf(hook.command_name, hook.command_args, 'person')
      return (
        skill && { eventType: 'skill.lifecycle', phase: 'in_progress', ...skill, toolUseId: hook.tool_use_id }
      )
    }
    case 'PreToolUse':
    case 'PostToolUse':
    case 'PostToolUseFailure':
      if (tool === 'Skill') return calledSkill(hook, event)
      if (event === 'PreToolUse' || (tool !== 'AskUserQuestion' && tool !== 'ExitPlanMode')) return null
      return {
        eventType: 'request.lifecycle',
        phase: 'answered',
        toolName: tool,
        toolInput: hook.tool_input,
        toolUseId: hook.tool_use_id,
        toolResponse: hook.tool_response,
        error: hook.error,
      }
    case 'PermissionRequest':
      // Without a terminal there is no dialog: the CLI decides automatically, and nothing waits.
      return env.CLAUDE_CODE_ENTRYPOINT === 'sdk-cli' ? null : waiting(hook)
    case 'Notification':
      return notification === 'agent_needs_input' || notification === 'elicitation_dialog'
        ? waiting(hook)
        : null
    case 'SubagentStart':
    case 'SubagentStop':
      // The CLI's internal helpers (such as compaction) have no type and no SubagentStart.
      if (!isText(hook.agent_type) || hook.agent_type === '') return null
      return {
        eventType: 'agent.lifecycle',
        phase: event === 'SubagentStart' ? 'started' : 'ended',
        agentTranscriptPath: hook.agent_transcript_path,
      }
    case 'PreCompact':
      return { eventType: 'context.lifecycle', phase: 'compacting', trigger: hook.trigger }
    default:
      return null
  }
}

function waiting(hook) {
  const isQuestion = hook.tool_name === 'AskUserQuestion' || hook.notification_type === 'elicitation_dialog'
  return {
    eventType: 'session.lifecycle',
    phase: isQuestion ? 'waiting_question' : 'waiting_permission',
    toolName: hook.tool_name,
    toolInput: hook.tool_input,
    suggestions: hook.permission_suggestions,
    notificationType: hook.notification_type,
    message: hook.message,
  }
}

function calledSkill(hook, event) {
  const skill = skillOf(hook.tool_input?.skill, hook.tool_input?.args, 'model')
  return (
    skill && {
      eventType: 'skill.lifecycle',
      phase: event === 'PreToolUse' ? 'in_progress' : 'completed',
      ...skill,
      toolUseId: hook.tool_use_id,
      ...(event !== 'PreToolUse' && { outcome: event === 'PostToolUse' ? 'completed' : 'failed' }),
      durationMs: hook.duration_ms,
      error: hook.error,
      isInterrupt: hook.is_interrupt,
    }
  )
}

function skillOf(name, args, startedBy) {
  if (!isText(name) || name === '') return null
  const skillName = name.replace(/^\//, '')
  const rest = isText(args) && args !== '' ? ` ${args}` : ''
  return {
    skillName,
    triggerCommand: `/${skillName}${rest}`,
    turnSeq: null,
    targetDocPath: targetDocument(rest),
    startedBy,
  }
}

/** The first word of the arguments that is clearly a file. */
function targetDocument(args) {
  const words = args.split(/[ \n\r\t]+/).map((word) => word.replace(/^@/, ''))
  const found = words.find(
    (word) =>
      !/^-|["\\\p{Cc}\p{Cs}]|:\/\//u.test(word) &&
      word.length < 4096 &&
      (/.\.(?:mdx?|txt|rst|adoc)$/.test(word) || /\/[^/]+\.[A-Za-z][A-Za-z0-9]*$/.test(word)),
  )
  return found ?? null
}

function uuid(time) {
  const hex = time.toString(16).padStart(12, '0')
  const random = randomBytes(10)
  random[0] = 0x70 | (random[0] & 0x0f)
  random[2] = 0x80 | (random[2] & 0x3f)
  const rest = random.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-${rest.slice(0, 4)}-${rest.slice(4, 8)}-${rest.slice(8)}`
}

function streamPath() {
  const path = env.KW_CHAT_STREAM_PATH || '~/.kw-chat/streams/lifecycle.jsonl'
  if (!path.startsWith('~/')) return path
  if (!env.HOME) throw new Error('no home')
  return env.HOME + path.slice(1)
}

/** Race: writes again only if the file was rotated meanwhile. Readers deduplicate lines by id. */
function append(line) {
  const path = streamPath()
  for (let attempt = 0; attempt < 3; attempt++) {
    const before = statSync(path, { throwIfNoEntry: false })
    if (before && !before.isFile()) return
    const file = openStream(path)
    const done = writeSync(file, line)
    // A full disk truncates the line. End it, so that the next line is not glued to it.
    if (done > 0 && done < line.length) writeSync(file, '\n')
    const written = fstatSync(file)
    closeSync(file)
    const there = statSync(path, { throwIfNoEntry: false })
    if (there && there.ino === written.ino && there.dev === written.dev) return
  }
}

function openStream(path) {
  try {
    return openSync(path, 'a', 0o600)
  } catch {
    makeFolders(path)
    return openSync(path, 'a', 0o600)
  }
}

/** One folder at a time: where folders cannot be created (such as in /proc), Node's recursive mkdir never returns. */
function makeFolders(path) {
  for (let slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
    try {
      mkdirSync(path.slice(0, slash), 0o700)
    } catch {
      // It exists, or the next step fails and reports it.
    }
  }
}

/** Sends the id of the line to the daemon of the home, waits for an answer, and prints it. */
function hold(home, lineId) {
  const address = /"url":"http:\/\/([^"/]+)/.exec(readFileSync(`${home}/daemon.json`, 'utf8'))?.[1] ?? ''
  const token = readFileSync(`${home}/token`, 'utf8').trim()
  const port = Number(/:(\d+)$/.exec(address)?.[1])
  const body = JSON.stringify({ lineId })
  const socket = connect(port, address.startsWith('[') ? '::1' : address.replace(/:\d+$/, ''))
  const leave = () => socket.destroy()
  let silence = setTimeout(leave, soonMs(env.SIGNALBOX_HOLD_WITHIN_MS))
  // Orphan: a hook outlives its session, and must not keep waiting when the CLI process is gone.
  const orphan = setInterval(() => isGone(Number(env.CLAUDE_PID)) && leave(), 1_000)
  const parts = []
  socket.on('error', leave)
  socket.on('connect', () =>
    socket.write(
      `POST /api/v1/lifecycle/hold HTTP/1.0\r\nHost: ${address}\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ),
  )
  socket.on('data', (part) => {
    parts.push(part)
    clearTimeout(silence)
    silence = setTimeout(leave, 20_000)
  })
  socket.on('end', () => {
    const answer = /^HTTP\/1\.\d 200[^]*?\r\n\r\n *(\{[^]*\n)$/.exec(
      Buffer.concat(parts).toString('utf8'),
    )?.[1]
    if (answer) writeSync(1, answer)
  })
  socket.on('close', () => {
    clearTimeout(silence)
    clearInterval(orphan)
  })
}

/** Timeout for the first response of the daemon: 100 ms, unless a slow machine sets another. */
function soonMs(wanted) {
  return /^[1-9]\d{0,3}$|^10000$/.test(wanted ?? '') ? Number(wanted) : 100
}

function isGone(pid) {
  if (!(pid > 1)) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}
