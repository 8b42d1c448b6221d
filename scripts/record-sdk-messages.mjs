/**
 * Records what the real SDK and CLI say in a set of situations, for the tests of the translation.
 * Run it after an upgrade of the SDK and look at the difference: node scripts/record-sdk-messages.mjs
 */

import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { query } from '@anthropic-ai/claude-agent-sdk'
import { startScriptedModel } from '../dist/scripted/index.js'

const OUT = new URL('../test/support/fixtures/sdk/', import.meta.url).pathname
const SLOW_COMMAND = `node -e 'setTimeout(()=>{},20000)'`

// In one piece, so that the folder's name is not cut apart and can be replaced.
const write = (cwd, name) => ({
  tool: 'Write',
  input: { file_path: `${cwd}/${name}`, content: 'hello' },
  chunk: 400,
})

/** Each: the messages of the model, those of the user, and the events on the way. */
const SITUATIONS = {
  'tool-allowed': {
    rules: (cwd) => [
      {
        when: { user: 'write' },
        reply: [{ thinking: 'A file, then.' }, { text: 'I will write it.' }, write(cwd, 'a.txt')],
      },
      { when: { toolResult: 'Write' }, reply: [{ text: 'Done.' }] },
      { reply: [{ text: 'ok' }] },
    ],
    prompts: ['write a file', 'thanks'],
  },
  'tools-parallel': {
    rules: (cwd) => [
      { when: { user: 'write' }, reply: [write(cwd, 'a.txt'), write(cwd, 'b.txt')] },
      { reply: [{ text: 'Done.' }] },
    ],
    prompts: ['write two files'],
  },
  'tool-denied': {
    rules: (cwd) => [
      { when: { user: 'write' }, reply: [write(cwd, 'a.txt')] },
      { when: { toolResult: '*', isError: true }, reply: [{ text: 'Not then.' }] },
    ],
    prompts: ['write a file'],
    canUseTool: () => ({ behavior: 'deny', message: 'Not this file.' }),
  },
  'tool-denied-by-hook': {
    rules: (cwd) => [
      { when: { user: 'write' }, reply: [write(cwd, 'a.txt')] },
      { reply: [{ text: 'Not then.' }] },
    ],
    prompts: ['write a file'],
    preToolUse: () => ({ permissionDecision: 'deny', permissionDecisionReason: 'Protected file' }),
  },
  'tool-failed': {
    rules: () => [
      {
        when: { user: 'run' },
        reply: [{ tool: 'Bash', input: { command: 'echo out; echo err >&2; exit 3' } }],
      },
      { reply: [{ text: 'It failed.' }] },
    ],
    prompts: ['run it'],
  },
  'tool-input-invalid': {
    rules: () => [
      { when: { user: 'read' }, reply: [{ tool: 'Read', input: { file: 7 } }] },
      { reply: [{ text: 'Wrong input.' }] },
    ],
    prompts: ['read it'],
  },
  'interrupted-in-text': {
    rules: () => [
      { when: { user: 'talk' }, reply: [{ text: 'word '.repeat(400), delayMs: 20 }] },
      { reply: [{ text: 'ok' }] },
    ],
    prompts: ['talk long', 'go on'],
    interruptAt: (message) => message.type === 'stream_event' && message.event.type === 'content_block_delta',
  },
  'interrupted-in-tool': {
    rules: () => [
      { when: { user: 'run' }, reply: [{ tool: 'Bash', input: { command: SLOW_COMMAND } }] },
      { reply: [{ text: 'ok' }] },
    ],
    prompts: ['run it', 'go on'],
    interruptAfterAllowMs: 1500,
  },
  'interrupted-in-permission': {
    rules: (cwd) => [{ when: { user: 'write' }, reply: [write(cwd, 'a.txt')] }, { reply: [{ text: 'ok' }] }],
    prompts: ['write a file', 'go on'],
    canUseTool: (_name, _input, { signal }, session) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ behavior: 'deny', message: 'gone' }))
        setTimeout(() => session.interrupt(), 300)
      }),
  },
  question: {
    rules: () => [
      {
        when: { user: 'ask' },
        reply: [
          {
            tool: 'AskUserQuestion',
            input: {
              questions: [
                {
                  question: 'Which database?',
                  header: 'Database',
                  multiSelect: false,
                  options: [
                    { label: 'Postgres', description: 'a server' },
                    { label: 'SQLite', description: 'a file' },
                  ],
                },
              ],
            },
          },
        ],
      },
      { reply: [{ text: 'SQLite it is.' }] },
    ],
    prompts: ['ask me'],
    canUseTool: (_name, input) => ({
      behavior: 'allow',
      updatedInput: { ...input, answers: { 'Which database?': 'SQLite' } },
    }),
  },
  'message-injected': {
    rules: () => [
      {
        when: { user: 'run' },
        reply: [{ tool: 'Bash', input: { command: `node -e 'setTimeout(()=>{},1500)'` } }],
      },
      { when: { injected: 'also this' }, reply: [{ text: 'Both then.' }] },
      { reply: [{ text: 'ok' }] },
    ],
    prompts: ['run it'],
    injectAfterAllow: 'also this',
  },
  'api-error': { rules: () => [{ reply: [{ error: 400, message: 'bad thing' }] }], prompts: ['hello'] },
  'api-retried': {
    rules: () => [{ when: { call: 1 }, reply: [{ error: 529 }] }, { reply: [{ text: 'At last.' }] }],
    prompts: ['hello'],
  },
  'max-turns': {
    rules: () => [{ reply: [{ tool: 'Bash', input: { command: 'echo again' } }] }],
    prompts: ['loop'],
    options: { maxTurns: 2 },
  },
  refusal: { rules: () => [{ reply: [{ text: 'I cannot.' }, { stop: 'refusal' }] }], prompts: ['hello'] },
  'slash-command': { rules: () => [{ reply: [{ text: 'ok' }] }], prompts: ['/context'] },
  'subagent-foreground': {
    rules: () => [
      {
        when: { user: 'delegate' },
        reply: [
          {
            tool: 'Agent',
            input: {
              description: 'Look around',
              prompt: 'You are the scout. Look.',
              subagent_type: 'general-purpose',
              run_in_background: false,
            },
          },
        ],
      },
      { when: { agent: 'You are the scout', toolResult: 'Bash' }, reply: [{ text: 'Found nothing.' }] },
      {
        when: { agent: 'You are the scout' },
        reply: [{ text: 'Looking.' }, { tool: 'Bash', input: { command: 'ls' } }],
      },
      { when: { toolResult: 'Agent' }, reply: [{ text: 'The scout found nothing.' }] },
    ],
    prompts: ['delegate'],
  },
  'subagent-background': {
    rules: () => [
      {
        when: { user: 'delegate' },
        reply: [
          {
            tool: 'Agent',
            input: {
              description: 'Look around',
              prompt: 'You are the scout. Look.',
              subagent_type: 'general-purpose',
            },
          },
        ],
      },
      { when: { agent: 'You are the scout' }, reply: [{ delayMs: 600 }, { text: 'Found nothing.' }] },
      { when: { toolResult: 'Agent' }, reply: [{ text: 'The scout is on its way.' }] },
      { reply: [{ text: 'The scout is back.' }] },
    ],
    prompts: ['delegate'],
    results: 2,
  },
}

await mkdir(OUT, { recursive: true })
const only = process.argv.slice(2)
for (const [name, situation] of Object.entries(SITUATIONS)) {
  if (only.length > 0 && !only.includes(name)) continue
  const lines = await record(situation)
  await writeFile(join(OUT, `${name}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  console.log(`${name}: ${lines.length} lines`)
}

async function record(situation) {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'record-')))
  const cwd = join(home, 'project')
  await mkdir(cwd)
  const model = await startScriptedModel({ rules: situation.rules(cwd) })
  const lines = []
  const slug = home.replaceAll(/[^A-Za-z0-9]/g, '-')
  const add = (line) => {
    const text = JSON.stringify(line).replaceAll(home, '/home/dev').replaceAll(slug, '-home-dev')
    lines.push(JSON.parse(text.replaceAll(/\/tmp\/(claude-\d+|cc-socks)/g, '/home/dev/.run')))
  }
  const input = createInput()
  const prompts = [...situation.prompts]
  let expected = situation.results ?? prompts.length
  const session = query({
    prompt: input.messages(),
    options: {
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        CLAUDE_CONFIG_DIR: join(home, '.claude'),
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: 'test',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1',
        ENABLE_TOOL_SEARCH: 'false',
      },
      model: 'claude-opus-5-5',
      permissionMode: 'default',
      settingSources: [],
      strictMcpConfig: true,
      includePartialMessages: true,
      forwardSubagentText: true,
      perTaskStopAffordance: true,
      ...situation.options,
      hooks: {
        PreToolUse: [
          {
            hooks: [
              async (call) => {
                const { tool_use_id, tool_name, tool_input, agent_id } = call
                add({ from: 'PreToolUse', tool_use_id, tool_name, tool_input, agent_id })
                const decision = situation.preToolUse?.(call) ?? { permissionDecision: 'ask' }
                return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } }
              },
            ],
          },
        ],
      },
      canUseTool: async (name, toolInput, options) => {
        const { signal: _, ...rest } = options
        add({ from: 'canUseTool', name, ...rest })
        const answer = await (situation.canUseTool?.(name, toolInput, options, session) ?? {
          behavior: 'allow',
          updatedInput: toolInput,
        })
        add({ from: 'answer', toolUseID: options.toolUseID, behavior: answer.behavior })
        if (situation.interruptAfterAllowMs)
          setTimeout(() => void session.interrupt(), situation.interruptAfterAllowMs)
        if (situation.injectAfterAllow) setTimeout(() => input.push(situation.injectAfterAllow), 500)
        return answer
      },
    },
  })
  input.push(prompts.shift())
  let isInterrupted = false
  try {
    for await (const message of session) {
      add({ from: 'sdk', message: trimmed(message) })
      if (situation.interruptAt?.(message) && !isInterrupted) {
        isInterrupted = true
        await session.interrupt()
      }
      if (message.type !== 'result') continue
      expected -= 1
      const next = prompts.shift()
      if (next) input.push(next)
      else if (expected <= 0) input.end()
    }
  } catch (error) {
    add({ from: 'error', message: error.message })
  }
  await model.close()
  await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 })
  return lines
}

/** Long lists say nothing more than short ones. */
function trimmed(message) {
  if (message.type !== 'system' || message.subtype !== 'init') return message
  const lists = ['tools', 'slash_commands', 'skills', 'agents', 'plugins']
  return { ...message, ...Object.fromEntries(lists.map((name) => [name, message[name]?.slice(0, 3)])) }
}

function createInput() {
  const waiting = []
  let wake = () => {}
  let isEnded = false
  return {
    push(text) {
      waiting.push({
        type: 'user',
        uuid: randomUUID(),
        message: { role: 'user', content: text },
        parent_tool_use_id: null,
        origin: { kind: 'human' },
      })
      wake()
    },
    end() {
      isEnded = true
      wake()
    },
    async *messages() {
      for (;;) {
        while (waiting.length > 0) yield waiting.shift()
        if (isEnded) return
        await new Promise((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
