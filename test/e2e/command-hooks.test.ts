/** Command hooks around the tool calls of real sessions: of the CLI's own tools, and of ours. */

import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aPerson } from '../support/build.js'
import { lifeOf } from '../support/life.js'
import { createRealRuntime, makeFolders } from '../support/real-runtime.js'

const OUR_EDIT = 'mcp__signalbox__text_edit_tool'

const command = (text: string, more: object = {}) => [
  { hooks: [{ type: 'command' as const, command: text, ...more }] },
]

/** How each tool writes a file: the CLI's own, and ours. */
const TOOLS = {
  Write: (cwd: string, name: string, content: string) => ({ file_path: join(cwd, name), content }),
  [OUR_EDIT]: (_: string, name: string, content: string) => ({
    path: name,
    edits: [{ old_text: '', new_text: content }],
  }),
}

function once(tool: string, input: unknown, chunk = 1_000) {
  return {
    rules: [
      { when: { user: 'go' }, times: 1, reply: [{ tool, input, id: 'toolu_0', chunk }] },
      { reply: [{ text: 'Done.' }] },
    ],
  }
}

describe.each(Object.entries(TOOLS))('%s', (tool, inputFor) => {
  const hooks = {
    PreToolUse: command(
      'case "$CLAUDE_TOOL_INPUT" in *important.txt*) echo "This file must not be changed." >&2; exit 2;; esac; echo "Checked."',
    ),
    PostToolUse: command(
      'cat > /dev/null; echo "$CLAUDE_TOOL_NAME: $CLAUDE_TOOL_RESULT" >> tool-log.txt; echo Logged.',
    ),
  }

  test('hello.txt: Pre passes, the tool runs, Post records', async () => {
    const folders = await makeFolders()
    const { cwd } = folders
    const runtime = await createRealRuntime(folders, once(tool, inputFor(cwd, 'hello.txt', '안녕하세요!')), {
      hooks,
    })

    const { events } = await runtime.run()

    expect(lifeOf(events)).toEqual([
      `tool.requested ${tool}`,
      'hook.started PreToolUse',
      'hook.ended PreToolUse passed: Checked.',
      'tool.started by policy: bypassPermissions mode',
      'hook.started PostToolUse',
      'hook.ended PostToolUse passed: Logged.',
      'tool.ended completed',
    ])
    expect(await readFile(join(cwd, 'hello.txt'), 'utf8')).toBe('안녕하세요!')
    expect(await readFile(join(cwd, 'tool-log.txt'), 'utf8')).toContain(`${tool}: `)
    expect(runtime.resultOf('toolu_0')?.isError).toBe(false)
    expect(runtime.sent()).toContain('Checked.')
    expect(runtime.sent()).toContain('Logged.')
  })

  test('important.txt: Pre blocks, neither the tool nor Post runs; the agent and the person are told', async () => {
    const folders = await makeFolders()
    const { cwd } = folders
    const runtime = await createRealRuntime(folders, once(tool, inputFor(cwd, 'important.txt', 'x')), {
      hooks,
    })

    const { events } = await runtime.run()

    expect(lifeOf(events)).toEqual([
      `tool.requested ${tool}`,
      'hook.started PreToolUse',
      'hook.ended PreToolUse blocked: This file must not be changed.',
      `tool.ended blocked by hook: ${hooks.PreToolUse[0]?.hooks[0]?.command}`,
    ])
    // The reason itself, without the words that the CLI puts around it for the agent.
    expect(events.find(({ type }) => type === 'tool.ended')).toMatchObject({
      data: { error: 'This file must not be changed.' },
    })
    expect(existsSync(join(cwd, 'important.txt'))).toBe(false)
    expect(existsSync(join(cwd, 'tool-log.txt'))).toBe(false)
    expect(runtime.resultOf('toolu_0')).toEqual({
      isError: true,
      text: `PreToolUse:${tool} hook error: This file must not be changed.`,
    })
  })
})

test('however a hook ends, the call, the agent and the hooks after it are as promised', async () => {
  const folders = await makeFolders()
  const { cwd, folder } = folders
  const plain = join(folder, 'plain.txt')
  await writeFile(plain, 'no program')
  const PROGRAMS = {
    '0': { command: 'echo seen' },
    '1': { command: 'exit 1' },
    '2': { command: 'echo stopped >&2; exit 2' },
    '3': { command: 'exit 3' },
    '126': { command: `'${plain}'` },
    '127': { command: '/nowhere/to/be/found' },
    signal: { command: 'kill -SEGV $$' },
    timeout: { command: 'sleep 30', timeout: 0.2 },
    'not executable': { command: plain, args: [] },
    missing: { command: '/nowhere/to/be/found', args: [] },
  }
  const POINTS = ['PreToolUse', 'PostToolUse'] as const
  const combinations = Object.entries(PROGRAMS).flatMap(([end, program]) =>
    POINTS.map((point) => ({ end, point, program })),
  )
  // One session in a folder of its own for each way in which a hook ends; in it, both tools are called.
  const runtime = await createRealRuntime(
    folders,
    {
      rules: [
        {
          when: { user: '/^go (\\d+)/' },
          times: combinations.length,
          reply: Object.entries(TOOLS).map(([tool, inputFor], index) => ({
            tool,
            input: inputFor(join(cwd, '{{match.1}}'), `tool-${index}.txt`, 'x'),
            chunk: 1_000,
          })),
        },
        { reply: [{ text: 'Done.' }] },
      ],
    },
    {
      maxLive: 4,
      hooks: Object.fromEntries(
        POINTS.map((point) => [
          point,
          combinations.map((combination, index) => ({
            workspace: join(cwd, String(index)),
            hooks: [
              combination.point === point
                ? { type: 'command' as const, ...combination.program }
                : { type: 'command' as const, command: 'true' },
            ],
          })),
        ]),
      ),
    },
  )
  for (const index of combinations.keys()) await mkdir(join(cwd, String(index)))

  const runOne = async ({ end, point }: (typeof combinations)[number], index: number): Promise<string[]> => {
    const { events, id } = await runtime.run(`go ${index}`, { cwd: join(cwd, String(index)) })
    await runtime.hub.stop(id, undefined, aPerson)
    const hookOf = new Map(
      events.flatMap((event) => (event.type === 'hook.started' ? [[event.data.hookId, event.data]] : [])),
    )
    return Object.keys(TOOLS).map((tool, place) => {
      const request = events.find((event) => event.type === 'tool.requested' && event.data.name === tool)
      const toolUseId = request?.type === 'tool.requested' ? request.data.toolUseId : ''
      const ended = events.flatMap((event) => {
        const hook = event.type === 'hook.ended' ? hookOf.get(event.data.hookId) : undefined
        return event.type === 'hook.ended' && hook?.toolUseId === toolUseId
          ? [{ point: hook.event, ...event.data }]
          : []
      })
      const mine = ended.find((hook) => hook.point === point)
      const result = runtime.resultOf(toolUseId)
      const outcome = events.find(
        (event) => event.type === 'tool.ended' && event.data.toolUseId === toolUseId,
      )
      return [
        end,
        point,
        place === 0 ? 'built-in' : 'ours',
        mine?.outcome,
        existsSync(join(cwd, String(index), `tool-${place}.txt`)) ? 'ran' : 'did not run',
        ended.some((hook) => hook.point === 'PostToolUse') ? 'Post ran' : 'no Post',
        outcome?.type === 'tool.ended' ? outcome.data.outcome : 'no end',
        result?.isError
          ? `agent saw: ${result.text.replace(`${point}:${tool} `, '')}`
          : 'agent saw the result',
      ].join(' | ')
    })
  }
  const seen: string[] = []
  const PARALLEL = 4
  for (let first = 0; first < combinations.length; first += PARALLEL) {
    const some = combinations.slice(first, first + PARALLEL)
    const lines = await Promise.all(some.map((combination, index) => runOne(combination, first + index)))
    seen.push(...lines.flat())
  }

  const expected = combinations.flatMap(({ end, point }) =>
    ['built-in', 'ours'].map((kind) => {
      const isBlocked = end === '2' && point === 'PreToolUse'
      const outcome = isBlocked ? 'blocked' : end === '0' || end === '2' ? 'passed' : 'broken'
      const after = isBlocked
        ? 'did not run | no Post | blocked | agent saw: hook error: stopped'
        : 'ran | Post ran | completed | agent saw the result'
      return `${end} | ${point} | ${kind} | ${outcome} | ${after}`
    }),
  )
  expect(seen).toHaveLength(40)
  expect(seen).toEqual(expected)
  // The agent gets the output of a hook, also of one that was too late to block.
  for (const tool of Object.keys(TOOLS)) {
    expect(runtime.sent()).toContain(`PreToolUse:${tool} hook additional context: seen`)
    expect(runtime.sent()).toContain(`PostToolUse:${tool} hook additional context: seen`)
    expect(runtime.sent()).toContain(`PostToolUse:${tool} hook additional context: stopped`)
  }
})

test('a tool that fails has its own hook, which is given the error', async () => {
  const folders = await makeFolders()
  const { cwd } = folders
  const runtime = await createRealRuntime(
    folders,
    once(OUR_EDIT, { path: 'a.txt', edits: [{ old_text: 'x', new_text: 'y' }] }),
    {
      hooks: {
        PostToolUse: command('touch post-ran'),
        PostToolUseFailure: command('printf %s "$CLAUDE_TOOL_RESULT" > error.txt; echo Failed too.'),
      },
    },
  )

  const { events } = await runtime.run()

  expect(await readFile(join(cwd, 'error.txt'), 'utf8')).toContain('The file does not exist.')
  expect(existsSync(join(cwd, 'post-ran'))).toBe(false)
  expect(lifeOf(events).slice(-3)).toEqual([
    'hook.started PostToolUseFailure',
    'hook.ended PostToolUseFailure passed: Failed too.',
    'tool.ended failed',
  ])
  expect(runtime.sent()).toContain('Failed too.')
})

test('an input that a hook has changed is judged, asked about and run; 400 KB reach the hook whole', async () => {
  const folders = await makeFolders()
  const { cwd } = folders
  const content = `\u0000\u0001\u001b[31m\ud83d\ude00${'안'.repeat(135_000)}`
  const changed = JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      updatedInput: { file_path: join(cwd, 'elsewhere.txt'), content: 'changed' },
    },
  })
  const input = TOOLS.Write(cwd, 'big.txt', content)
  const runtime = await createRealRuntime(folders, once('Write', input, 50_000), {
    hooks: {
      PreToolUse: [
        {
          matcher: 'Write',
          hooks: [
            {
              type: 'command',
              command: `cat > stdin.json; printf %s "$CLAUDE_TOOL_INPUT" > env.json; cp "$CLAUDE_TOOL_INPUT_FILE" file.json; echo '${changed}'`,
            },
          ],
        },
      ],
    },
  })
  const { id } = await runtime.hub.createSession({ cwd, prompt: 'go' }, aPerson)
  await runtime.sessionWhen(id, ({ state }) => state === 'permission')
  const [request] = await runtime.hub.inbox.requests({ sessionId: id })
  expect(request).toMatchObject({ input: { content: 'changed' } })
  await runtime.hub.inbox.answer(request?.id ?? '', { decision: 'allow' }, aPerson)
  await runtime.sessionWhen(id, ({ turns }) => turns === 1)

  const read = (name: string) => readFile(join(cwd, name), 'utf8')
  expect(JSON.parse(await read('stdin.json'))).toMatchObject({
    hook_event_name: 'PreToolUse',
    tool_name: 'Write',
    tool_input: input,
  })
  expect(JSON.parse(await read('file.json'))).toEqual(input)
  expect(JSON.stringify(input).startsWith(await read('env.json'))).toBe(true)
  expect(existsSync(join(cwd, 'big.txt'))).toBe(false)
  expect(await read('elsewhere.txt')).toBe('changed')
  const events = await runtime.events(id)
  expect(events.find((event) => event.type === 'tool.requested')?.data.input).toEqual(input)
  expect(events.find((event) => event.type === 'tool.started')?.data).toMatchObject({
    input: { content: 'changed' },
    by: 'person: kim',
  })
})

test('the opinion of a hook: it can ask where nobody would, and spare a person the question', async () => {
  const folders = await makeFolders()
  const { cwd } = folders
  const decide = (permissionDecision: string) =>
    `echo '${JSON.stringify({ hookSpecificOutput: { permissionDecision, permissionDecisionReason: 'I say so.' } })}'`
  const runtime = await createRealRuntime(
    folders,
    {
      rules: [
        { when: { user: 'go' }, times: 1, reply: [{ tool: 'Bash', input: { command: 'echo hi' } }] },
        {
          when: { user: 'write' },
          times: 1,
          reply: [{ tool: 'Write', input: TOOLS.Write(cwd, 'a.txt', 'x') }],
        },
        { reply: [{ text: 'Done.' }] },
      ],
    },
    {
      hooks: {
        PreToolUse: [
          { matcher: 'Bash', hooks: [{ type: 'command', command: decide('ask') }] },
          { matcher: 'Write', hooks: [{ type: 'command', command: decide('allow') }] },
        ],
      },
    },
  )

  const spared = await runtime.run('write', { permissionMode: 'default' })
  expect(lifeOf(spared.events).at(-2)).toBe(`tool.started by hook: ${decide('allow')}`)

  const { id } = await runtime.hub.createSession(
    { cwd, prompt: 'go', permissionMode: 'bypassPermissions' },
    aPerson,
  )
  await runtime.sessionWhen(id, ({ state }) => state === 'permission')
  const [request] = await runtime.hub.inbox.requests({ sessionId: id })
  expect(request).toMatchObject({ reason: 'I say so.' })
  await runtime.hub.inbox.answer(request?.id ?? '', { decision: 'deny' }, aPerson)
  await runtime.sessionWhen(id, ({ turns }) => turns === 1)
  expect(lifeOf(await runtime.events(id)).slice(-2)).toEqual([
    'permission.resolved deny by person',
    'tool.ended denied by person: kim',
  ])
})

test('hooks of a session: its start reaches the agent, a prompt can be blocked, its turns and its end are told', async () => {
  const folders = await makeFolders()
  const { cwd } = folders
  const note = 'cat >> events.jsonl'
  const runtime = await createRealRuntime(
    folders,
    { rules: [{ reply: [{ text: 'ok' }] }] },
    {
      hooks: {
        SessionStart: command(`${note}; echo "The branch is green."`),
        UserPromptSubmit: command(
          `read -r line; echo "$line" >> events.jsonl; case "$line" in *forbidden*) echo "Not that." >&2; exit 2;; esac`,
        ),
        Stop: command(note),
        SessionEnd: command(note),
      },
    },
  )

  const { id } = await runtime.run('hello')
  expect(runtime.sent()).toContain('The branch is green.')
  await runtime.hub.send(id, { text: 'something forbidden' }, aPerson)
  await runtime.sessionWhen(id, ({ turns, turn }) => turns === 2 && turn === null)
  expect(runtime.model.requests.some(({ body }) => JSON.stringify(body).includes('forbidden'))).toBe(false)
  await runtime.hub.stop(id, undefined, aPerson)

  const lines = (await readFile(join(cwd, 'events.jsonl'), 'utf8')).trim().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { hook_event_name: string }).hook_event_name)).toEqual([
    'SessionStart',
    'UserPromptSubmit',
    'Stop',
    'UserPromptSubmit',
    'SessionEnd',
  ])
  expect(lifeOf(await runtime.events(id)).filter((line) => line.startsWith('hook.ended'))).toEqual([
    'hook.ended SessionStart passed: The branch is green.',
    'hook.ended UserPromptSubmit passed',
    'hook.ended Stop passed',
    'hook.ended UserPromptSubmit blocked: Not that.',
    'hook.ended SessionEnd passed',
  ])
})

test('nothing of a hook outlives its session: neither one that runs nor what it has left behind', async () => {
  const folders = await makeFolders()
  const { cwd } = folders
  const runtime = await createRealRuntime(folders, once('Write', TOOLS.Write(cwd, 'a.txt', 'x')), {
    hooks: { PreToolUse: command('sleep 300 & setsid sleep 300 & touch running; wait') },
  })
  const { id } = await runtime.hub.createSession({ cwd, prompt: 'go' }, aPerson)
  await expect.poll(() => existsSync(join(cwd, 'running')), { timeout: 20_000 }).toBe(true)

  await runtime.hub.stop(id, undefined, aPerson)

  expect(existsSync(join(cwd, 'a.txt'))).toBe(false)
  expect(lifeOf(await runtime.events(id))).toContain(
    'hook.ended PreToolUse broken: The hook is broken: it was interrupted.',
  )
  // That no process is left is checked at the end of every test of this kind.
})
