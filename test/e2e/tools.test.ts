/** Our tools as an agent meets them: published to real sessions, called by the real CLI, judged at the gate. */

import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createSignalbox, defineTool } from '../../src/index.js'
import { aPerson } from '../support/build.js'
import { lifeOf } from '../support/life.js'
import { createRealRuntime, makeFolders } from '../support/real-runtime.js'

const OURS = [
  'directory_lister',
  'file_reader',
  'text_edit_tool',
  'agent_caller',
  'datetime',
  'attempt_completion',
]

/** One message with these calls, then an end. */
function calls(...list: readonly (readonly [tool: string, input: unknown])[]) {
  const reply = list.map(([tool, input], index) => ({
    tool: `mcp__signalbox__${tool}`,
    input,
    id: `toolu_${index}`,
    chunk: 10_000,
  }))
  return {
    rules: [
      { when: { user: '/^Review/' }, reply: [{ text: 'Looks fine.' }] },
      { when: { user: 'go' }, times: 1, reply },
      { reply: [{ text: 'Done.' }] },
    ],
  }
}

test('a session has the six tools and calls them; what fails is an error result in words', async () => {
  const folders = await makeFolders()
  const { cwd } = folders
  await mkdir(join(cwd, 'src'))
  await writeFile(join(cwd, 'src/a.txt'), 'one\ntwo\n')
  await writeFile(join(cwd, '.env'), 'KEY=secret')
  await symlink('.env', join(cwd, 'innocent'))
  const runtime = await createRealRuntime(
    folders,
    calls(
      ['directory_lister', {}],
      ['file_reader', { path: 'src/a.txt', limit: 1 }],
      ['text_edit_tool', { path: 'src/a.txt', edits: [{ old_text: 'two', new_text: '2' }] }],
      ['datetime', { timezone: 'Asia/Seoul', format: 'ZZ' }],
      ['agent_caller', { target_agent: 'reviewer', message: 'Review src/a.txt.' }],
      ['file_reader', { path: '../outside.txt' }],
      ['file_reader', { path: 'src/a.txt', limit: 'few' }],
      ['text_edit_tool', { path: 'src/a.txt', edits: [{ old_text: 'nine', new_text: '9' }] }],
      ['agent_caller', { target_agent: 'poet', message: 'Write.' }],
      ['text_edit_tool', { path: 'innocent', edits: [{ old_text: 'secret', new_text: 'x' }] }],
    ),
    { agents: { reviewer: { prompt: 'You review.' } } },
  )

  const { events } = await runtime.run()

  const started = events.find((event) => event.type === 'session.started')?.data
  expect(started?.mcpServers).toEqual([{ name: 'signalbox', status: 'connected' }])
  expect(started?.tools.filter((name) => name.startsWith('mcp__')).toSorted()).toEqual(
    OURS.map((name) => `mcp__signalbox__${name}`).toSorted(),
  )
  expect(Array.from({ length: 10 }, (_, index) => runtime.resultOf(`toolu_${index}`))).toEqual([
    { isError: false, text: '.env\ninnocent@\nsrc/\nsrc/a.txt' },
    { isError: false, text: 'one\n|[Lines 1 to 1; the file goes on: use offset 2.]' },
    { isError: false, text: 'src/a.txt was edited in line 2.' },
    { isError: false, text: '+0900' },
    { isError: false, text: 'Looks fine.' },
    { isError: true, text: expect.stringContaining('../outside.txt leads outside the workspace') },
    { isError: true, text: expect.stringContaining('The input of file_reader is not as expected') },
    { isError: true, text: expect.stringContaining('old_text was not found') },
    { isError: true, text: 'There is no agent "poet". There are: reviewer.' },
    // A link does not help: what the policy protects is protected from our tools too, in every mode.
    { isError: true, text: expect.stringContaining('hook error: ') },
  ])
  expect(await readFile(join(cwd, 'src/a.txt'), 'utf8')).toBe('one\n2\n')
  expect(await readFile(join(cwd, '.env'), 'utf8')).toBe('KEY=secret')
  const denied = events.findLast((event) => event.type === 'tool.ended')
  expect(denied?.data).toMatchObject({ outcome: 'denied', by: 'policy: autoDeny protected-change' })
  expect((await runtime.hub.tools()).map(({ id }) => id)).toEqual(OURS)
})

test('tools of a file in the home join them: progress, pictures, JSON, and whatever they do, there is a result', async () => {
  const folders = await makeFolders()
  await writeFile(
    join(folders.home, 'my-tools.js'),
    `export default ({ z, defineTool }) => {
       const tool = (name, run, timeoutMs) => ({ name, description: name, input: z.object({}), run, timeoutMs })
       return [
         tool('told', (_, context) => {
           context.progress('half')
           context.log.info('told')
           return [context.workspace, context.toolUseId, context.signal.aborted].join(' ')
         }),
         tool('throws', () => { throw new Error('It broke inside.') }),
         tool('hangs', () => new Promise(() => {}), 300),
         tool('nothing', () => undefined),
         tool('picture', () => ({ type: 'image', mimeType: 'image/png', data: '${PNG}' })),
         tool('json', () => ({ a: 1 })),
         { name: 'hidden', description: 'It has no schema', run: () => 'seen' },
       ]
     }`,
  )
  const names = ['told', 'throws', 'hangs', 'nothing', 'picture', 'json']
  const runtime = await createRealRuntime(folders, calls(...names.map((name) => [name, {}] as const)), {
    tools: ['./my-tools.js'],
  })

  const { events } = await runtime.run()

  expect(names.map((_, index) => runtime.resultOf(`toolu_${index}`))).toEqual([
    { isError: false, text: `${folders.cwd} toolu_0 false` },
    { isError: true, text: 'It broke inside.' },
    { isError: true, text: 'hangs took longer than 0.3 seconds and was given up.' },
    { isError: true, text: 'The tool returned nothing, which cannot be shown.' },
    { isError: false, text: expect.stringContaining('<image>') },
    { isError: false, text: '{\n  "a": 1\n}' },
  ])
  expect(events.filter((event) => event.type === 'tool.progressed').map(({ data }) => data)).toEqual([
    { toolUseId: 'toolu_0', text: 'half' },
  ])
  const started = events.find((event) => event.type === 'session.started')?.data
  expect(started?.tools).toContain('mcp__signalbox__told')
  expect(started?.tools).not.toContain('mcp__signalbox__hidden')
  expect(runtime.sent()).not.toContain('my-tools.js')
  // An unexpected error of a tool is written to the daemon's log, with its stack.
  expect(runtime.faults.splice(0)).toMatchObject([{ message: 'It broke inside.' }])
})

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('an invalid file of tools keeps the daemon from starting, with an error that names the cause', async () => {
  const folders = await makeFolders()
  await writeFile(join(folders.home, 'bad.js'), 'export default { name: "no spaces", description: "d" }')
  await expect(createRealRuntime(folders, calls(), { tools: ['bad.js'] })).rejects.toThrow(
    /bad\.js: The tool no spaces is invalid/,
  )
})

test('a completion is recorded and ends the turn: the model is not asked again', async () => {
  const runtime = await createRealRuntime(
    await makeFolders(),
    calls(['attempt_completion', { result: 'All is well.' }]),
  )

  const { events, session } = await runtime.run()

  expect(session.completion).toEqual({ result: 'All is well.', success: true })
  expect(lifeOf(events)).toEqual([
    'tool.requested mcp__signalbox__attempt_completion',
    'tool.started by policy: bypassPermissions mode',
    'completion.recorded',
    'tool.ended completed',
  ])
  expect(
    runtime.model.requests.filter(({ body }) => JSON.stringify(body).includes('"tools":[')),
  ).toHaveLength(1)
  expect(events.findLast((event) => event.type === 'turn.ended')?.data).toMatchObject({
    outcome: 'completed',
    stopReason: 'stop_hook',
  })
})

test('a tool of ours asks a person like every other, and runs with the answer', async () => {
  const { cwd, ...folders } = await makeFolders()
  const edit = (path: string) => ({ path, edits: [{ old_text: '', new_text: 'x' }] })
  const runtime = await createRealRuntime({ cwd, ...folders }, calls(['text_edit_tool', edit('a.txt')]))
  const { id } = await runtime.hub.createSession({ cwd, prompt: 'go' }, aPerson)
  await runtime.sessionWhen(id, ({ state }) => state === 'permission')
  const [request] = await runtime.hub.inbox.requests({ sessionId: id })

  await runtime.hub.inbox.answer(
    request?.id ?? '',
    { decision: 'allow', updatedInput: edit('b.txt') },
    aPerson,
  )

  await runtime.sessionWhen(id, ({ turns }) => turns === 1)
  expect(await readFile(join(cwd, 'b.txt'), 'utf8')).toBe('x')
  expect(lifeOf(await runtime.events(id))).toEqual([
    'tool.requested mcp__signalbox__text_edit_tool',
    'permission.requested',
    'permission.resolved allow by person',
    'tool.started by person: kim',
    'tool.ended completed',
  ])
})

test('an agent has the tools that its settings name, from the reserve as well', async () => {
  const folders = await makeFolders()
  const runtime = await createRealRuntime(
    folders,
    { rules: [{ reply: [{ text: 'ok' }] }] },
    {
      warm: 1,
      agents: { clerk: { tools: ['Read', 'datetime', 'mcp__signalbox__file_reader'] } },
    },
  )
  const runOne = async () => {
    const { events } = await runtime.run('hello', { agent: 'clerk' })
    const started = events.find((event) => event.type === 'session.started')
    expect(started?.data.tools.toSorted()).toEqual([
      'Read',
      'mcp__signalbox__datetime',
      'mcp__signalbox__file_reader',
    ])
    return events.some(
      (event) => event.type === 'session.changed' && event.data.claudeSessionId !== undefined,
    )
  }

  expect(await runOne()).toBe(false)
  // The reserve was filled for the first; as soon as it is ready, a session is taken from it.
  await expect.poll(runOne, { timeout: 30_000 }).toBe(true)
})

test('servers that are replaced while a session runs leave our tools to it', async () => {
  const folders = await makeFolders()
  const runtime = await createRealRuntime(folders, {
    rules: [
      {
        when: { user: 'time' },
        times: 1,
        reply: [{ tool: 'mcp__signalbox__datetime', input: { format: '[now]' } }],
      },
      { when: { toolResult: '*' }, reply: [{ text: 'It is {{toolResult}}.' }] },
      { reply: [{ text: 'ok' }] },
    ],
  })
  const { id } = await runtime.run('hello')

  await runtime.hub.setMcpServers(id, {}, aPerson)
  await runtime.hub.send(id, { text: 'time' }, aPerson)

  await runtime.sessionWhen(id, ({ turns }) => turns === 2)
  expect((await runtime.hub.session(id)).lastText).toBe('It is now.')
})

test('an interrupt aborts what a tool does, and so does the end of the session', async () => {
  const folders = await makeFolders()
  await writeFile(
    join(folders.home, 'slow.js'),
    `import { appendFileSync } from 'node:fs'
     export default ({ z }) => ({ name: 'slow', description: 'slow', input: z.object({}), run: (_, context) => {
       const say = (text) => appendFileSync(context.workspace + '/told.txt', text + '\\n')
       context.signal.addEventListener('abort', () => say('aborted'))
       say('running')
       return new Promise(() => {})
     } })`,
  )
  const runtime = await createRealRuntime(
    folders,
    { rules: [{ when: { user: 'go' }, reply: [{ tool: 'mcp__signalbox__slow', input: {} }] }] },
    { tools: ['slow.js'] },
  )
  const told = async () => (await readFile(join(folders.cwd, 'told.txt'), 'utf8').catch(() => '')).split('\n')
  const start = async () =>
    (
      await runtime.hub.createSession(
        { cwd: folders.cwd, prompt: 'go', permissionMode: 'bypassPermissions' },
        aPerson,
      )
    ).id

  const first = await start()
  await expect.poll(told, { timeout: 20_000 }).toEqual(['running', ''])
  await runtime.hub.interrupt(first)
  await expect.poll(told, { timeout: 20_000 }).toEqual(['running', 'aborted', ''])

  const second = await start()
  await expect.poll(told, { timeout: 20_000 }).toEqual(['running', 'aborted', 'running', ''])
  await runtime.hub.stop(second, undefined, aPerson)
  await expect.poll(told, { timeout: 20_000 }).toEqual(['running', 'aborted', 'running', 'aborted', ''])
})

test('a program gives its own tools to the sessions that it starts', async () => {
  const { folder, cwd, home } = await makeFolders()
  const scriptFile = join(folder, 'script.json')
  await writeFile(scriptFile, JSON.stringify(calls(['add', { a: 1, b: 2 }])))
  const add = defineTool({
    name: 'add',
    description: 'Adds',
    input: z.object({ a: z.number(), b: z.number() }),
    run: ({ a, b }) => `${a + b}`,
  })
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, IS_SANDBOX: '1', SIGNALBOX_WARM: '0' }
  await using runtime = await createSignalbox({ home, env, scripted: scriptFile, tools: [add] })
  const session = await runtime.sessions.create({ cwd, permissionMode: 'bypassPermissions' })

  await session.send('go')

  const ended: unknown[] = []
  for await (const event of session.stream()) if (event.type === 'tool.ended') ended.push(event.data)
  expect(ended).toMatchObject([{ name: 'mcp__signalbox__add', outcome: 'completed' }])
  expect(JSON.stringify(ended)).toContain('3')
})

test('a skill that the agent uses begins and ends in the log of its session', async () => {
  const folders = await makeFolders()
  const place = join(folders.cwd, '.claude/skills/snowflake')
  await mkdir(place, { recursive: true })
  await writeFile(join(place, 'SKILL.md'), '---\nname: snowflake\ndescription: Makes snow\n---\nSnow.\n')
  const runtime = await createRealRuntime(folders, {
    rules: [
      {
        when: { user: 'go' },
        times: 1,
        reply: [{ tool: 'Skill', input: { skill: 'snowflake', args: '1 notes.md' } }],
      },
      { reply: [{ text: 'Done.' }] },
    ],
  })

  await runtime.hub.trust(folders.cwd, aPerson)

  const { events } = await runtime.run()

  const skill = {
    skillName: 'snowflake',
    triggerCommand: '/snowflake 1 notes.md',
    turnSeq: 1,
    targetDocPath: 'notes.md',
  }
  expect(events.filter(({ type }) => type.startsWith('skill.'))).toMatchObject([
    { type: 'skill.started', data: skill },
    { type: 'skill.ended', data: { ...skill, outcome: 'completed' } },
  ])
})
