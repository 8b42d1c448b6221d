import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { MARK } from '../../session/claude/process-identity.js'
import { decodeLine } from '../stream/decode.js'
import { type ProducerKind, placeProducer, worksHere } from './producer.js'

const home = join(tmpdir(), `signalbox-producers-${process.pid}`)
/** `npm run chaos:lifecycle` runs more iterations. */
const isFull = process.env['CHAOS'] === 'full'
const TRIES: Record<ProducerKind, number> = isFull
  ? { compiled: 20_000, perl: 20_000, node: 300 }
  : { compiled: 800, perl: 200, node: 15 }
const kinds = (Object.keys(TRIES) as ProducerKind[]).filter(isPossible)

/** A machine may lack a compiler or perl; Node is always available. */
function isPossible(kind: ProducerKind): boolean {
  if (kind === 'compiled') return spawnSync('cc', ['--version']).status === 0
  return kind === 'node' || existsSync('/usr/bin/perl')
}

/** Each writer writes every input in every round. A full run has 100 writers and 20,000 lines. */
const WRITERS: Record<ProducerKind, { writers: number; inputs: number; rounds: number }> = isFull
  ? {
      compiled: { writers: 100, inputs: 25, rounds: 8 },
      perl: { writers: 100, inputs: 25, rounds: 8 },
      node: { writers: 20, inputs: 5, rounds: 2 },
    }
  : {
      compiled: { writers: 40, inputs: 25, rounds: 1 },
      perl: { writers: 10, inputs: 25, rounds: 1 },
      node: { writers: 8, inputs: 2, rounds: 1 },
    }
/** Sizes of the prompt. The rest of a line has at least 200 bytes. */
const SIZES = [
  10, 500_000, 3_000, 100, 5_000, 20, 9_000, 70_000, 4_096, 300, 4_000, 30, 8_192, 200, 1_000, 50, 3_500, 40,
  6_000, 2_000, 150, 4_500, 12, 700, 16_000,
]

const paths = new Map<ProducerKind, string>()
beforeAll(() => {
  for (const kind of kinds) paths.set(kind, placeProducer(join(home, kind), [kind]).path)
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

type Fields = Record<string, unknown>

interface Ran {
  code: number | null
  output: string
  lines: Fields[]
}

/** Runs the hook as Claude Code does: in a separate process, with the input on stdin, which is a socket. */
async function run(
  kind: ProducerKind,
  input: string | Fields,
  env: Record<string, string> = {},
  stream?: string,
  args: readonly string[] = [],
): Promise<Ran> {
  const path = stream ?? join(await temporaryFolder(), 'streams', 'lifecycle.jsonl')
  const child = spawn(paths.get(kind) ?? '', args, {
    env: { KW_CHAT_STREAM_PATH: path, ...env },
    stdio: 'pipe',
  })
  let output = ''
  for (const out of [child.stdout, child.stderr]) {
    out.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  child.stdin.on('error', () => {}) // The hook may exit before it has read everything.
  child.stdin.end(typeof input === 'string' ? input : `${JSON.stringify(input)}\n`)
  await once(child, 'close')
  return { code: child.exitCode, output, lines: linesOf(path) }
}

function linesOf(path: string): Fields[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  expect(lines.pop()).toBe('')
  return lines.map((line) => JSON.parse(line) as Fields)
}

const BASE = {
  session_id: '98c535d3-a581-4275-8483-06562a3827f5',
  transcript_path: '/home/dev/.claude/projects/-p/98c5.jsonl',
  cwd: '/home/dev/p',
  prompt_id: 'prompt-1',
  permission_mode: 'default',
}
const ENV = { CLAUDE_PID: '4711', CLAUDE_PROJECT_DIR: '/home/dev/p', CLAUDE_CODE_ENTRYPOINT: 'cli' }

/** Each hook event with the fields that are specific to its line; null if it produces no line. */
const EVENTS: Record<string, { hook: Fields; line: Fields | null }> = {
  'a session starts': {
    hook: { hook_event_name: 'SessionStart', source: 'startup', model: 'claude-opus-5-5' },
    line: { eventType: 'session.lifecycle', phase: 'started', source: 'startup', model: 'claude-opus-5-5' },
  },
  'a session goes on after compaction': {
    hook: { hook_event_name: 'SessionStart', source: 'compact' },
    line: { eventType: 'context.lifecycle', phase: 'compacted' },
  },
  'a session ends': {
    hook: { hook_event_name: 'SessionEnd', reason: 'prompt_input_exit' },
    line: { eventType: 'session.lifecycle', phase: 'ended', reason: 'prompt_input_exit' },
  },
  'a prompt is sent': {
    hook: { hook_event_name: 'UserPromptSubmit', prompt: '눈송이 "x"\n\t\\' },
    line: { eventType: 'turn.start', prompt: '눈송이 "x"\n\t\\' },
  },
  'a turn ends': {
    hook: {
      hook_event_name: 'Stop',
      stop_hook_active: false,
      last_assistant_message: 'Done.',
      background_tasks: [{ id: 'a', status: 'running' }],
      session_crons: [],
    },
    line: {
      eventType: 'turn.end',
      outcome: 'completed',
      lastAssistantMessage: 'Done.',
      backgroundTasks: [{ id: 'a', status: 'running' }],
      stopHookActive: false,
    },
  },
  'a turn fails': {
    hook: { hook_event_name: 'StopFailure', error: 'rate_limit', last_assistant_message: 'API Error' },
    line: {
      eventType: 'turn.end',
      outcome: 'failed',
      error: 'rate_limit',
      lastAssistantMessage: 'API Error',
    },
  },
  'a person types a skill': {
    hook: {
      hook_event_name: 'UserPromptExpansion',
      expansion_type: 'slash_command',
      command_name: 'spec',
      command_args: 'docs/abc.md now',
    },
    line: {
      eventType: 'skill.lifecycle',
      phase: 'in_progress',
      skillName: 'spec',
      triggerCommand: '/spec docs/abc.md now',
      turnSeq: null,
      targetDocPath: 'docs/abc.md',
      startedBy: 'person',
    },
  },
  'the model calls a skill': {
    hook: {
      hook_event_name: 'PreToolUse',
      tool_name: 'Skill',
      tool_input: { skill: 'snowflake', args: '1 테스트' },
      tool_use_id: 'toolu_1',
    },
    line: {
      eventType: 'skill.lifecycle',
      phase: 'in_progress',
      skillName: 'snowflake',
      triggerCommand: '/snowflake 1 테스트',
      turnSeq: null,
      targetDocPath: null,
      startedBy: 'model',
      toolUseId: 'toolu_1',
    },
  },
  'a called skill is done': {
    hook: {
      hook_event_name: 'PostToolUse',
      tool_name: 'Skill',
      tool_input: { skill: 'snowflake' },
      tool_response: { success: true },
      tool_use_id: 'toolu_1',
      duration_ms: 29,
    },
    line: {
      eventType: 'skill.lifecycle',
      phase: 'completed',
      skillName: 'snowflake',
      triggerCommand: '/snowflake',
      turnSeq: null,
      targetDocPath: null,
      startedBy: 'model',
      toolUseId: 'toolu_1',
      outcome: 'completed',
      durationMs: 29,
    },
  },
  'a called skill fails': {
    hook: {
      hook_event_name: 'PostToolUseFailure',
      tool_name: 'Skill',
      tool_input: { skill: 'snowflake' },
      tool_use_id: 'toolu_1',
      error: 'Exit code 3',
      is_interrupt: false,
    },
    line: {
      eventType: 'skill.lifecycle',
      phase: 'completed',
      skillName: 'snowflake',
      triggerCommand: '/snowflake',
      turnSeq: null,
      targetDocPath: null,
      startedBy: 'model',
      toolUseId: 'toolu_1',
      outcome: 'failed',
      error: 'Exit code 3',
      isInterrupt: false,
    },
  },
  'a permission is asked for': {
    hook: {
      hook_event_name: 'PermissionRequest',
      tool_name: 'Bash',
      tool_input: { command: 'mkdir a', nested: [1, { b: null }] },
      permission_suggestions: [{ type: 'addRules' }],
      agent_id: 'agent-1',
      agent_type: 'researcher',
    },
    line: {
      eventType: 'session.lifecycle',
      phase: 'waiting_permission',
      toolName: 'Bash',
      toolInput: { command: 'mkdir a', nested: [1, { b: null }] },
      suggestions: [{ type: 'addRules' }],
      agentId: 'agent-1',
      agentType: 'researcher',
    },
  },
  'a question is asked': {
    hook: {
      hook_event_name: 'PermissionRequest',
      tool_name: 'AskUserQuestion',
      tool_input: { questions: [] },
    },
    line: {
      eventType: 'session.lifecycle',
      phase: 'waiting_question',
      toolName: 'AskUserQuestion',
      toolInput: { questions: [] },
    },
  },
  'a question is answered': {
    hook: {
      hook_event_name: 'PostToolUse',
      tool_name: 'AskUserQuestion',
      tool_input: { questions: [] },
      tool_response: { answers: { 'Which?': 'Red' } },
      tool_use_id: 'toolu_2',
    },
    line: {
      eventType: 'request.lifecycle',
      phase: 'answered',
      toolName: 'AskUserQuestion',
      toolInput: { questions: [] },
      toolUseId: 'toolu_2',
      toolResponse: { answers: { 'Which?': 'Red' } },
    },
  },
  'a dialog without a tool asks': {
    hook: {
      hook_event_name: 'Notification',
      notification_type: 'agent_needs_input',
      message: 'Claude needs you',
    },
    line: {
      eventType: 'session.lifecycle',
      phase: 'waiting_permission',
      notificationType: 'agent_needs_input',
      message: 'Claude needs you',
    },
  },
  'a server asks the person': {
    hook: { hook_event_name: 'Notification', notification_type: 'elicitation_dialog', message: 'Name?' },
    line: {
      eventType: 'session.lifecycle',
      phase: 'waiting_question',
      notificationType: 'elicitation_dialog',
      message: 'Name?',
    },
  },
  'a subagent starts': {
    hook: { hook_event_name: 'SubagentStart', agent_id: 'a1', agent_type: 'researcher' },
    line: { eventType: 'agent.lifecycle', phase: 'started', agentId: 'a1', agentType: 'researcher' },
  },
  'a subagent ends': {
    hook: {
      hook_event_name: 'SubagentStop',
      agent_id: 'a1',
      agent_type: 'researcher',
      agent_transcript_path: '/t/agent-a1.jsonl',
      last_assistant_message: 'Found.',
    },
    line: {
      eventType: 'agent.lifecycle',
      phase: 'ended',
      agentTranscriptPath: '/t/agent-a1.jsonl',
      agentId: 'a1',
      agentType: 'researcher',
    },
  },
  'the context is about to be compacted': {
    hook: { hook_event_name: 'PreCompact', trigger: 'auto', custom_instructions: '' },
    line: { eventType: 'context.lifecycle', phase: 'compacting', trigger: 'auto' },
  },
  'a helper of the CLI ends': {
    hook: { hook_event_name: 'SubagentStop', agent_id: 'a', agent_type: '' },
    line: null,
  },
  'another tool runs': {
    hook: { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: {} },
    line: null,
  },
  'another tool is done': {
    hook: { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_input: {} },
    line: null,
  },
  'a skill without a name': {
    hook: { hook_event_name: 'PreToolUse', tool_name: 'Skill', tool_input: {} },
    line: null,
  },
  'another notification': {
    hook: { hook_event_name: 'Notification', notification_type: 'permission_prompt', message: 'x' },
    line: null,
  },
  'an unknown event': { hook: { hook_event_name: 'MoonRise' }, line: null },
}

describe.each(kinds)('the hook as %s', (kind) => {
  test.each(Object.entries(EVENTS))('%s', async (_, { hook, line }) => {
    const { code, output, lines } = await run(kind, { ...BASE, ...hook }, ENV)

    expect({ code, output }).toEqual({ code: 0, output: '' })
    if (line === null) {
      expect(lines).toEqual([])
      return
    }
    const { eventType, phase, ...own } = line
    expect(lines).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        eventType,
        ...(phase !== undefined && { phase }),
        occurredAtIso: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        sessionId: BASE.session_id,
        provider: 'claude',
        projectPath: '/home/dev/p',
        cwd: '/home/dev/p',
        ...own,
        hookEvent: hook['hook_event_name'],
        pid: 4711,
        ...(process.platform === 'linux' && { pidSpace: readlinkSync('/proc/self/ns/pid') }),
        entrypoint: 'cli',
        transcriptPath: BASE.transcript_path,
        promptId: 'prompt-1',
        permissionMode: 'default',
      },
    ])
    expect(decodeLine(JSON.stringify(lines[0])).kind).toBe('event')
  })

  test('the id carries the time, and the time is now', async () => {
    const before = Date.now()
    const { lines } = await run(kind, { ...BASE, hook_event_name: 'SessionEnd' })
    const after = Date.now()

    const [line] = lines
    const at = Date.parse(String(line?.['occurredAtIso']))
    expect(Number.parseInt(String(line?.['id']).replace('-', '').slice(0, 12), 16)).toBe(at)
    expect(at).toBeGreaterThanOrEqual(before)
    expect(at).toBeLessThanOrEqual(after)
  })

  test('what the environment does not say is null or left out, and nothing else of it goes in', async () => {
    const secret = 'sk-do-not-write-this'
    const { lines } = await run(
      kind,
      { ...BASE, hook_event_name: 'SessionEnd' },
      {
        ANTHROPIC_API_KEY: secret,
        CLAUDE_CODE_MESSAGING_TOKEN: secret,
        CLAUDE_PID: '12; rm -rf /',
      },
    )

    expect(lines[0]).toMatchObject({ projectPath: null })
    expect(Object.keys(lines[0] ?? {})).not.toContain('pid')
    expect(JSON.stringify(lines)).not.toContain(secret)
  })

  test('a managed session of our own writes nothing', async () => {
    const { code, lines } = await run(kind, { ...BASE, hook_event_name: 'SessionEnd' }, { [MARK]: 'x/y' })
    expect({ code, lines }).toEqual({ code: 0, lines: [] })
  })

  test('without a terminal a permission is answered at once, so nothing waits', async () => {
    const hook = { ...BASE, hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: {} }
    expect((await run(kind, hook, { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' })).lines).toEqual([])
  })

  test.each([
    '',
    'not json',
    '[]',
    'null',
    '{}',
    '{"session_id":"a"',
    '{"session_id":7,"hook_event_name":"Stop"}',
    '{"session_id":"","hook_event_name":"Stop"}',
    '{"session_id":"a","hook_event_name":"Sto',
    '{"session_id":"a","hook_event_name":"Stop","x":"\\q"}',
    '{"session_id":"a","hook_event_name":"Stop","x":[1,2}',
  ])('input that is no whole event is passed over: %s', async (input) => {
    const { code, output, lines } = await run(kind, input, ENV)
    expect({ code, output }).toEqual({ code: 0, output: '' })
    expect(lines.length).toBeLessThanOrEqual(1)
  })

  test('white space, line ends and repeated names in the input make no difference', async () => {
    const input = `\n{\r\n\t"session_id" : "first" ,\n "hook_event_name":"SessionEnd",\n "x" : { "session_id" : "inner" , "y" : [ 1 , "}" ] } ,\n "session_id":"last"\n}\n\n`
    const { lines } = await run(kind, input)
    expect(lines).toMatchObject([{ sessionId: 'last', phase: 'ended' }])
  })

  test('a long prompt is written whole; one that no reader would take is left out and named', async () => {
    const prompt = '긴 글 "\\\n '.repeat(40_000)
    const { lines } = await run(kind, { ...BASE, hook_event_name: 'UserPromptSubmit', prompt })
    expect(lines).toMatchObject([{ prompt }])

    const { lines: others } = await run(kind, {
      ...BASE,
      hook_event_name: 'UserPromptSubmit',
      prompt: 'x'.repeat(5 << 20),
    })
    expect(others).toMatchObject([{ prompt: null, omitted: ['prompt'] }])
  })

  test('the file and its folders are made for their owner only', async () => {
    const folder = await temporaryFolder()
    const stream = join(folder, 'a b', 'c', 'lifecycle.jsonl')
    await run(kind, { ...BASE, hook_event_name: 'SessionEnd' }, {}, stream)

    expect(statSync(stream).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'a b')).mode & 0o777).toBe(0o700)
  })

  test('without the variable the stream is in the home of the person', async () => {
    const folder = await temporaryFolder()
    const env = { HOME: folder, KW_CHAT_STREAM_PATH: '' }
    await run(kind, { ...BASE, hook_event_name: 'SessionEnd' }, env)
    await run(
      kind,
      { ...BASE, hook_event_name: 'SessionEnd' },
      { HOME: folder, KW_CHAT_STREAM_PATH: '~/own.jsonl' },
    )

    expect(linesOf(join(folder, '.kw-chat/streams/lifecycle.jsonl'))).toHaveLength(1)
    expect(linesOf(join(folder, 'own.jsonl'))).toHaveLength(1)
  })

  test('a place that cannot be written to is not the person’s problem', async () => {
    const folder = await temporaryFolder()
    writeFileSync(join(folder, 'file'), '')
    mkdirSync(join(folder, 'folder'))
    const hook = { ...BASE, hook_event_name: 'SessionEnd' }
    for (const stream of [join(folder, 'file', 'x.jsonl'), join(folder, 'folder'), '/proc/nothing/x.jsonl']) {
      const child = spawnSync(paths.get(kind) ?? '', [], {
        input: JSON.stringify(hook),
        env: { KW_CHAT_STREAM_PATH: stream },
      })
      expect({ status: child.status, out: String(child.stdout) + String(child.stderr) }).toEqual({
        status: 0,
        out: '',
      })
    }
    const nowhere = spawnSync(paths.get(kind) ?? '', [], { input: JSON.stringify(hook), env: {} })
    expect(nowhere.status).toBe(0)
  })

  test('a project folder with any name becomes valid JSON', async () => {
    const { lines } = await run(
      kind,
      { ...BASE, hook_event_name: 'SessionEnd' },
      {
        CLAUDE_PROJECT_DIR: '/a "b"\\c\n\u0001/눈',
      },
    )
    expect(lines).toMatchObject([{ projectPath: '/a "b"\\c\n\u0001/눈' }])
  })

  test('any input gives the right fields', async () => {
    const folder = await temporaryFolder()
    const inputs = fc.sample(anyHook, TRIES[kind])
    mkdirSync(join(folder, 'in'))
    for (const [index, hook] of inputs.entries()) {
      writeFileSync(join(folder, 'in', String(index).padStart(6, '0')), `${JSON.stringify(hook)}\n`)
    }
    const stream = join(folder, 'out.jsonl')
    const loop = 'for file in "$1"/in/*; do "$2" < "$file" || exit 1; done'
    const ran = spawnSync('sh', ['-c', loop, 'sh', folder, paths.get(kind) ?? ''], {
      env: { KW_CHAT_STREAM_PATH: stream, CLAUDE_CODE_ENTRYPOINT: 'cli' },
    })

    expect({ status: ran.status, out: String(ran.stdout) + String(ran.stderr) }).toEqual({
      status: 0,
      out: '',
    })
    const lines = linesOf(stream)
    const expected = inputs.flatMap((hook) => expectedFields(hook) ?? [])
    expect(lines).toHaveLength(expected.length)
    for (const [index, fields] of expected.entries()) {
      expect(lines[index]).toMatchObject(JSON.parse(JSON.stringify(fields)) as Fields)
    }
  }, 1_800_000)

  test('many writers at once: no line is torn, none is lost', async () => {
    const folder = await temporaryFolder()
    const stream = join(folder, 'lifecycle.jsonl')
    const { writers, inputs, rounds } = WRITERS[kind]
    const size = (index: number) => SIZES[index % SIZES.length] ?? 0
    for (let index = 0; index < inputs; index++) {
      const prompt = `${index} ${'눈'.repeat(size(index) / 3)}`
      writeFileSync(
        join(folder, `${index}`),
        JSON.stringify({ ...BASE, hook_event_name: 'UserPromptSubmit', prompt }),
      )
    }
    // Each writer starts at another input, so that lines of all sizes are written concurrently.
    const loop =
      'for round in $(seq $4); do for n in $(seq $3); do "$2" < "$1/$(( (n * 7 + $5) % $3 ))" || exit 1; done; done'
    const writing = Array.from({ length: writers }, async (_, writer) => {
      const args = [folder, paths.get(kind) ?? '', String(inputs), String(rounds), String(writer)]
      const child = spawn('sh', ['-c', loop, 'sh', ...args], {
        env: { KW_CHAT_STREAM_PATH: stream, PATH: process.env['PATH'] ?? '' },
        stdio: 'ignore',
      })
      await once(child, 'close')
      expect(child.exitCode).toBe(0)
    })
    await Promise.all(writing)

    const counts = new Map<number, number>()
    const ids = new Set<string>()
    for await (const text of createInterface({ input: createReadStream(stream) })) {
      const line = JSON.parse(text) as Fields
      const [mark = '', words = ''] = String(line['prompt']).split(' ')
      expect(words.length).toBe(Math.floor(size(Number(mark)) / 3))
      counts.set(Number(mark), (counts.get(Number(mark)) ?? 0) + 1)
      ids.add(String(line['id']))
    }
    expect(ids.size).toBe(writers * inputs * rounds)
    expect([...counts.values()]).toEqual(Array.from({ length: inputs }, () => writers * rounds))
  }, 1_800_000)
})

/** A home with a fake daemon. `serve` handles each waiting hook. */
async function aDaemon(serve: (socket: Socket) => unknown) {
  const folder = await temporaryFolder()
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let request = ''
    socket.on('error', () => {})
    socket.on('data', (part) => {
      request += String(part)
      if (!request.endsWith('}')) return
      asked.push(request)
      serve(socket)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // Cast: the server listens on TCP.
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    if (server.listening) await once(server.close(), 'close')
  }
  onTestFinished(close)
  writeFileSync(join(folder, 'daemon.json'), `{"url":"http://127.0.0.1:${port}","pid":1}\n`)
  writeFileSync(join(folder, 'token'), 'the-token\n')
  return { folder, asked, port, close, sockets }
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nConnection: close\r\n\r\n '
const ANSWER = '{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"눈"}}}'
const ASK = {
  ...BASE,
  hook_event_name: 'PermissionRequest',
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
}

describe.each(kinds)('waiting for an answer, as %s', (kind) => {
  const ask = (folder: string, env: Record<string, string> = {}, hook: Fields = ASK) =>
    run(kind, hook, { ...ENV, CLAUDE_PID: String(process.pid), ...env }, undefined, [folder])

  test('an answer is printed as it is, however it comes, and whatever its size', async () => {
    const long = `{"a":"${'눈'.repeat(200_000)}"}`
    for (const answer of [ANSWER, long]) {
      const { folder, asked, port } = await aDaemon((socket) => {
        socket.write(OK)
        socket.write('  ')
        setTimeout(() => socket.end(`${answer}\n`), 150)
      })
      // However slow this machine is.
      const { code, output, lines } = await ask(folder, { SIGNALBOX_HOLD_WITHIN_MS: '10000' })

      expect({ code, isWhole: output === `${answer}\n` }).toEqual({ code: 0, isWhole: true })
      expect(lines).toHaveLength(1)
      expect(asked[0]?.split('\r\n')).toEqual([
        'POST /api/v1/lifecycle/hold HTTP/1.0',
        `Host: 127.0.0.1:${port}`,
        'Authorization: Bearer the-token',
        'Content-Type: application/json',
        'Content-Length: 49',
        '',
        `{"lineId":"${String(lines[0]?.['id'])}"}`,
      ])
    }
  })

  const mishaps: Record<string, ((socket: Socket) => unknown) | 'none' | 'gone'> = {
    'there is no daemon': 'none',
    'the daemon is gone': 'gone',
    'it does not answer': () => null,
    'it ends the connection': (socket) => socket.destroy(),
    'it refuses': (socket) => socket.end(`HTTP/1.1 401 Unauthorized\r\n\r\n${ANSWER}\n`),
    'it has nothing to say': (socket) => socket.end(OK),
    'it dies in the middle of an answer': (socket) => socket.end(`${OK}${ANSWER.slice(0, -2)}`),
    'something else is there': (socket) => socket.end('hello\n'),
  }
  test.each(Object.entries(mishaps))('it gives up without a word when %s', async (_, serve) => {
    const daemon = await aDaemon(typeof serve === 'function' ? serve : () => null)
    if (serve === 'gone') await daemon.close()
    const folder = serve === 'none' ? await temporaryFolder() : daemon.folder
    const { code, output, lines } = await ask(folder)

    expect({ code, output }).toEqual({ code: 0, output: '' })
    expect(lines).toHaveLength(1)
  })

  test('a daemon that is slow to speak is waited for, where the machine is said to be slow', async () => {
    const { folder } = await aDaemon((socket) => setTimeout(() => socket.end(`${OK}${ANSWER}\n`), 400))
    const { code, output } = await ask(folder, { SIGNALBOX_HOLD_WITHIN_MS: '10000' })
    expect({ code, output }).toEqual({ code: 0, output: `${ANSWER}\n` })
    for (const within of ['0', '-1', '99999', 'soon', ''])
      expect((await ask(folder, { SIGNALBOX_HOLD_WITHIN_MS: within })).output).toBe('')
  })

  test('it ends when its session has died', async () => {
    const session = spawn('sleep', ['60'])
    const { folder } = await aDaemon((socket) => {
      socket.write(OK)
      session.kill('SIGKILL')
    })
    const { code, output } = await ask(folder, { CLAUDE_PID: String(session.pid) })
    expect({ code, output }).toEqual({ code: 0, output: '' })
  })

  test('nothing else is held, and nothing without a home', async () => {
    const { folder, asked } = await aDaemon((socket) => socket.write(OK))
    await ask(folder, {}, { ...BASE, hook_event_name: 'SessionEnd' })
    await ask(folder, { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' })
    await ask(folder, { [MARK]: 'x/y' })
    await run(kind, ASK, ENV)
    expect(asked).toEqual([])
  })
})

test('a form of the hook that does not run is passed over for the next', async () => {
  const folder = await temporaryFolder()
  const broken = join(folder, 'broken')
  writeFileSync(broken, '#!/bin/sh\necho hello\n')
  chmodSync(broken, 0o755)

  expect(worksHere(broken)).toBe(false)
  expect(worksHere(join(folder, 'missing'))).toBe(false)
  expect(placeProducer(folder, ['node'])).toMatchObject({ kind: 'node' })
  expect(placeProducer(folder, ['node'])).toMatchObject({ kind: 'node' })
})

describe('without what the quickest form needs, the next one is placed', () => {
  /** Limits `PATH` to this folder. */
  const findOnly = (folder: string) => {
    const path = process.env['PATH']
    process.env['PATH'] = folder
    onTestFinished(() => {
      process.env['PATH'] = path
    })
  }
  const next = kinds.includes('perl') ? 'perl' : 'node'

  test('no compiler', async () => {
    const folder = await temporaryFolder()
    findOnly(folder)
    const { kind, path } = placeProducer(folder)
    expect({ kind, works: worksHere(path) }).toEqual({ kind: next, works: true })
  })

  test('a compiler that makes nothing that runs', async () => {
    const folder = await temporaryFolder()
    for (const name of ['cc', 'gcc', 'clang', 'c99', 'tcc']) {
      writeFileSync(join(folder, name), '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho x >"$2"\n')
      chmodSync(join(folder, name), 0o755)
    }
    findOnly(folder)
    expect(placeProducer(folder)).toMatchObject({ kind: next })
  })

  test('nothing but Node', async () => {
    const folder = await temporaryFolder()
    const { kind, path } = placeProducer(folder, ['node'])
    expect({ kind, works: worksHere(path) }).toEqual({ kind: 'node', works: true })
  })

  const whereIs = (name: string) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim()
  const compilers = ['gcc', 'clang', 'tcc'].filter((name) => whereIs(name) !== '')
  test.skipIf(compilers.length === 0).each(compilers)('%s alone is enough', async (compiler) => {
    const folder = await temporaryFolder()
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    // The compiler needs the assembler and the linker.
    for (const name of ['as', 'ld'])
      if (existsSync(`/usr/bin/${name}`)) symlinkSync(`/usr/bin/${name}`, join(bin, name))
    symlinkSync(whereIs(compiler), join(bin, compiler))
    findOnly(bin)
    expect(placeProducer(folder)).toMatchObject({ kind: 'compiled' })
  })
})

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom(
      '"',
      '\\',
      '\n',
      '\u0000',
      '\u2028',
      '\ud800',
      '눈',
      '😀',
      ' ',
      '}',
      '{',
      '[',
      ':',
      ',',
      'a',
    ),
  }),
)
const anyHook = fc.record(
  {
    session_id: text,
    hook_event_name: fc.constantFrom(
      'SessionStart',
      'SessionEnd',
      'UserPromptSubmit',
      'UserPromptExpansion',
      'Stop',
      'StopFailure',
      'PreToolUse',
      'PostToolUse',
      'PermissionRequest',
      'PreCompact',
    ),
    cwd: fc.oneof(text, fc.constant(null), fc.integer()),
    transcript_path: text,
    prompt: text,
    command_name: text,
    command_args: text,
    tool_name: fc.constantFrom('Skill', 'AskUserQuestion', 'Bash'),
    tool_input: fc.oneof(
      fc.record({ skill: text, args: text }),
      fc.dictionary(text, fc.jsonValue()),
      fc.jsonValue(),
    ),
    last_assistant_message: text,
    extra: fc.jsonValue(),
  },
  { requiredKeys: ['session_id', 'hook_event_name'] },
) as fc.Arbitrary<Fields>

/** The expected fields of the line for an input; undefined if there is no line. */
function expectedFields(hook: Fields): Fields | undefined {
  const { hook_event_name: event, tool_name: tool } = hook
  const input = (typeof hook['tool_input'] === 'object' ? hook['tool_input'] : null) as Fields | null
  if (hook['session_id'] === '') return undefined
  const fields = {
    sessionId: hook['session_id'],
    cwd: typeof hook['cwd'] === 'string' ? hook['cwd'] : null,
    ...('transcript_path' in hook && { transcriptPath: hook['transcript_path'] }),
    hookEvent: event,
  }
  const skill = (name: unknown, args: unknown) => {
    if (typeof name !== 'string' || name === '') return undefined
    const skillName = name.replace(/^\//, '')
    const rest = typeof args === 'string' && args !== '' ? ` ${args}` : ''
    return {
      ...fields,
      eventType: 'skill.lifecycle',
      skillName,
      triggerCommand: `/${skillName}${rest}`,
      turnSeq: null,
    }
  }
  switch (event) {
    case 'SessionStart':
      return { ...fields, eventType: 'session.lifecycle', phase: 'started' }
    case 'SessionEnd':
      return { ...fields, eventType: 'session.lifecycle', phase: 'ended' }
    case 'UserPromptSubmit':
      return { ...fields, eventType: 'turn.start', prompt: hook['prompt'] ?? null }
    case 'Stop':
    case 'StopFailure':
      return {
        ...fields,
        eventType: 'turn.end',
        ...('last_assistant_message' in hook && { lastAssistantMessage: hook['last_assistant_message'] }),
      }
    case 'UserPromptExpansion':
      return skill(hook['command_name'], hook['command_args'])
    case 'PreToolUse':
    case 'PostToolUse':
      if (tool === 'Skill') return skill(input?.['skill'], input?.['args'])
      return event === 'PostToolUse' && tool === 'AskUserQuestion'
        ? {
            ...fields,
            eventType: 'request.lifecycle',
            ...('tool_input' in hook && { toolInput: hook['tool_input'] }),
          }
        : undefined
    case 'PermissionRequest':
      return {
        ...fields,
        eventType: 'session.lifecycle',
        phase: tool === 'AskUserQuestion' ? 'waiting_question' : 'waiting_permission',
        ...('tool_input' in hook && { toolInput: hook['tool_input'] }),
      }
    default:
      return { ...fields, eventType: 'context.lifecycle', phase: 'compacting' }
  }
}
