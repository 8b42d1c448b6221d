/** Changes of agents are recorded around their calls, reviewed, commented on, and undone. With the real CLI. */

import { execFileSync } from 'node:child_process'
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../src/client/client.js'
import type { ScriptInput } from '../../src/scripted/script.js'
import {
  allEvents,
  expectOrderly,
  MAIN,
  makePlace,
  pendingRequest,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { share } from '../support/when-done.js'

const POLL = { timeout: 20_000 }

const LINES = (first: string, last: string) => `${first}\n${'-\n'.repeat(8)}${last}\n`

/** Each message is a list of things to do, one call after the other. */
const script = (cwd: string): ScriptInput => ({
  rules: [
    {
      when: { user: 'do everything' },
      reply: [
        { tool: 'Edit', input: { file_path: join(cwd, 'edited.txt'), old_string: 'one', new_string: 'two' } },
        {
          tool: 'Bash',
          input: {
            command: 'mv moved.txt there.txt; rm -r gone; sed -i s/old/new/ sed.txt; echo x > build/out',
          },
        },
        {
          tool: 'Agent',
          input: {
            description: 'writes',
            prompt: 'write as a helper',
            subagent_type: 'general-purpose',
            run_in_background: false,
          },
        },
      ],
    },
    {
      when: { agent: '/write as a helper/', user: 'write as a helper' },
      reply: [{ tool: 'Write', input: { file_path: join(cwd, 'helper.txt'), content: 'by the helper\n' } }],
    },
    {
      when: { user: 'edit again' },
      reply: [{ tool: 'Bash', input: { command: "sed -i '1s/.*/three/' edited.txt" } }],
    },
    {
      when: { user: 'wait' },
      reply: [{ tool: 'Bash', input: { command: "node -e 'setTimeout(()=>{},60000)'" } }],
    },
    { when: { toolResult: '*' }, reply: [{ text: 'Done.' }] },
    { reply: [{ text: 'You said: {{user}}' }] },
  ],
})

async function prepare(cwd: string): Promise<void> {
  await mkdir(join(cwd, 'gone/deep'), { recursive: true })
  await mkdir(join(cwd, 'build'))
  const files = {
    'edited.txt': LINES('one', 'end'),
    'moved.txt': 'moved\n',
    'gone/a': 'a\n',
    'gone/deep/b': 'b\n',
    'sed.txt': 'old\n',
    'build/out': 'built\n',
    '.gitignore': 'build/\n',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text)
  execFileSync('git', ['init', '-q'], { cwd })
  execFileSync('git', ['add', '.'], { cwd })
}

const setup = share(async () => {
  const place = await makePlace(script)
  await prepare(place.cwd)
  const daemon = await startDaemonProcess(place)
  const { client } = daemon
  const { session } = await client.createSession({
    body: { cwd: place.cwd, permissionMode: 'bypassPermissions' },
  })
  const params = { id: session.id }
  const say = async (text: string) => {
    const { turns } = (await client.getSession({ params })).session
    const { messageId } = await client.sendMessage({ params, body: { text } })
    await sessionWhen(
      client,
      session.id,
      (now) => now.turns === turns + 1 && now.turn === null && now.queue.length === 0,
    )
    return messageId
  }
  const gitBefore = gitFolder(place.cwd)
  return { place, daemon, client, id: session.id, params, say, gitBefore }
}, 90_000)

/** Everything in the user's git folder, by name and content. */
function gitFolder(cwd: string): string {
  return execFileSync('sh', ['-c', 'find .git -type f -exec sha256sum {} + | sort'], {
    cwd,
    encoding: 'utf8',
  })
}

const read = (name: string) => readFile(join(setup().place.cwd, name), 'utf8')
const isThere = (name: string) =>
  access(join(setup().place.cwd, name)).then(
    () => true,
    () => false,
  )

async function callNamed(client: Client, id: string, name: string): Promise<string> {
  const events = await allEvents(client, id)
  const found = events.find((event) => event.type === 'tool.requested' && event.data.name === name)
  return found?.type === 'tool.requested' ? found.data.toolUseId : ''
}

describe('a session that edits, moves, deletes and starts a helper', () => {
  test('has one change for each call, with its files and lines, and the states in its events', async () => {
    const { client, id, params, say } = setup()
    await say('do everything')
    const { changes, recording } = await client.listChanges({ params })

    const shown = changes.map(({ agentId, files }) => [
      agentId === undefined ? 'main' : 'helper',
      files.map(
        ({ path, from, change, insertions, deletions }) =>
          `${change} ${from ?? ''}${path} +${insertions} -${deletions}`,
      ),
    ])
    expect(recording.isOn).toBe(true)
    expect(shown).toEqual([
      ['main', ['changed edited.txt +1 -1']],
      [
        'main',
        [
          'deleted gone/a +0 -1',
          'deleted gone/deep/b +0 -1',
          'changed sed.txt +1 -1',
          'renamed moved.txtthere.txt +0 -0',
        ],
      ],
      ['main', ['changed build/out +1 -1']],
      ['helper', ['added helper.txt +1 -0']],
    ])
    const events = await allEvents(client, id)
    const started = events.filter((event) => event.type === 'tool.started' && event.data.snapshot)
    const [ended] = events.filter((event) => event.type === 'turn.ended')
    expect(started.length).toBe(3)
    expect(ended?.type === 'turn.ended' && ended.data.snapshot?.tree).toMatch(/^[0-9a-f]{40}$/)
  })

  test('is reviewed by call, by turn, by helper, since its start and since the last commit', async () => {
    const { client, id, params } = setup()
    const names = async (query: Parameters<Client['getDiff']>[0]['query']) =>
      (await client.getDiff({ params, query })).diff.files.map(({ path }) => path)
    const call = await callNamed(client, id, 'Edit')
    const { diff } = await client.getDiff({ params, query: { call } })

    expect(diff.files[0]?.hunks).toEqual([
      { oldStart: 1, oldLines: 4, newStart: 1, newLines: 4, lines: ['-one', '+two', ' -', ' -', ' -'] },
    ])
    expect(await names({ turn: -1 })).toEqual([
      'build/out',
      'edited.txt',
      'gone/a',
      'gone/deep/b',
      'helper.txt',
      'sed.txt',
      'there.txt',
    ])
    const { changes } = await client.listChanges({ params })
    const agent = changes.find(({ agentId }) => agentId !== undefined)?.agentId ?? ''
    expect(await names({ agent })).toEqual(['helper.txt'])
    expect(await names({ against: 'start' })).toEqual([
      'edited.txt',
      'gone/a',
      'gone/deep/b',
      'helper.txt',
      'sed.txt',
      'there.txt',
    ])
    await expect(client.getDiff({ params, query: { against: 'head' } })).rejects.toMatchObject({
      code: 'change_not_found',
    })
    await expect(client.getDiff({ params, query: { turn: 9 } })).rejects.toMatchObject({
      code: 'change_not_found',
    })
  })

  test('gets comments on lines as one message, which are resolved when the lines change', async () => {
    const { client, id, params } = setup()
    const { turns } = (await client.getSession({ params })).session
    const comments = [
      { path: 'edited.txt', startLine: 1, endLine: 1, quote: 'two', text: 'Say three.' },
      {
        path: 'helper.txt',
        startLine: 1,
        endLine: 1,
        quote: 'by the helper',
        text: 'Say who helped.',
      },
    ]

    await client.sendComments({ params, body: { comments } })

    await sessionWhen(client, id, (now) => now.turns === turns + 1 && now.turn === null)
    const { session } = await client.getSession({ params })
    expect(session.lastPrompt).toContain('"edited.txt", line 1:\n> two\nSay three.')
    const open = await client.listComments({ params })
    expect(open.comments.map(({ isResolved }) => isResolved)).toEqual([false, false])
    await setup().say('edit again')
    const after = await client.listComments({ params })
    expect(after.comments.map(({ path, isResolved }) => [path, isResolved])).toEqual([
      ['edited.txt', true],
      ['helper.txt', false],
    ])
  })

  test('is undone by call and by turn around what a user changed, and redone', async () => {
    const { client, id, params, place } = setup()
    await writeFile(join(place.cwd, 'edited.txt'), LINES('three', 'by a user'))
    const call = await callNamed(client, id, 'Bash')

    const { undo: planned } = await client.undoChanges({ params, body: { call, preview: true } })
    expect(planned).toMatchObject({ changeId: null, conflicts: [], diff: { totals: { files: 5 } } })
    expect(await isThere('moved.txt')).toBe(false)
    const { undo: done } = await client.undoChanges({ params, body: { call } })
    expect([
      await read('moved.txt'),
      await read('gone/deep/b'),
      await read('sed.txt'),
      await read('build/out'),
    ]).toEqual(['moved\n', 'b\n', 'old\n', 'built\n'])
    expect(await isThere('there.txt')).toBe(false)

    await client.undoChanges({ params, body: { changes: [done.changeId ?? ''] } })
    expect([await isThere('moved.txt'), await isThere('gone'), await read('there.txt')]).toEqual([
      false,
      false,
      'moved\n',
    ])

    await client.undoChanges({ params, body: { turn: 3 } })
    expect(await read('edited.txt')).toBe(LINES('two', 'by a user'))
    await client.undoChanges({ params, body: { turn: 1 } })
    expect(await read('edited.txt')).toBe(LINES('one', 'by a user'))
    expect([await read('moved.txt'), await isThere('helper.txt')]).toEqual(['moved\n', false])

    const { changes } = await client.listChanges({ params })
    const undos = changes.filter(({ source }) => source === 'undo')
    expect(undos.map(({ isRedo, isUndone, by }) => [isRedo ?? false, isUndone, by?.via])).toEqual([
      [false, true, 'api'],
      [true, false, 'api'],
      [false, false, 'api'],
      [false, false, 'api'],
    ])
    const { records } = await client.listAudit({ query: { sessionId: params.id } })
    const verdicts = records.filter(({ kind }) => kind === 'changes.undone').map(({ verdict }) => verdict)
    expect(verdicts).toEqual(['undone', 'undone', 'redone', 'undone'])
  })

  test('is a conflict where a user changed the same lines: nothing is written', async () => {
    const { client, params, place, say } = setup()
    await say('edit again')
    await writeFile(join(place.cwd, 'edited.txt'), LINES('four', 'by a user'))

    const undo = client.undoChanges({ params, body: { turn: -1 } })

    await expect(undo).rejects.toMatchObject({
      code: 'undo_conflict',
      details: { conflicts: [{ path: 'edited.txt', reason: 'changed' }] },
    })
    expect(await read('edited.txt')).toBe(LINES('four', 'by a user'))
  })

  test('learns with its next message which files were undone', async () => {
    const { client, params, place, say } = setup()
    await writeFile(join(place.cwd, 'edited.txt'), LINES('one', 'x'))
    await say('edit again')
    await client.undoChanges({ params, body: { turn: -1 } })
    expect((await client.getSession({ params })).session.staleFiles).toContain('edited.txt')

    await say('what now')

    const { session } = await client.getSession({ params })
    expect(session.staleFiles).toEqual([])
    // The log of the SDK is written after the message was sent.
    await expect.poll(() => sentWith(place.home, 'what now'), POLL).toContain('changed without you')
    expect(await sentWith(place.home, 'what now')).toContain('edited.txt')
  })

  test('is reviewed, undone and redone by the command line', async () => {
    const { id, place, say } = setup()
    await writeFile(join(place.cwd, 'edited.txt'), LINES('one', 'x'))
    await say('edit again')
    const signalbox = (...args: string[]) =>
      execFileSync(process.execPath, [MAIN, ...args, '--home', place.home], {
        env: place.env,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      })

    expect(signalbox('diff', id, '--turn', 'last', '--stat')).toMatch(/edited\.txt\s.*\+1.*-1/)
    expect(signalbox('diff', id, '--turn', 'last')).toContain('-one\n+three\n')
    expect(signalbox('undo', id, '--turn', 'last', '--preview')).toContain('edited.txt')
    expect(await read('edited.txt')).toBe(LINES('three', 'x'))
    signalbox('undo', id, '--turn', 'last', '--yes')
    expect(await read('edited.txt')).toBe(LINES('one', 'x'))
    signalbox('undo', id, '--redo', '--yes')
    expect(await read('edited.txt')).toBe(LINES('three', 'x'))
    await writeFile(join(place.cwd, 'edited.txt'), LINES('by a user', 'x'))
    expect(() => signalbox('undo', id, '--turn', 'last', '--yes')).toThrow(/edited\.txt \(changed\)/)
    expect(await read('edited.txt')).toBe(LINES('by a user', 'x'))
  })

  test('is not undone while it works, unless it is interrupted', async () => {
    const { client, id, params, say, place } = setup()
    await writeFile(join(place.cwd, 'edited.txt'), LINES('one', 'x'))
    await say('edit again')
    await client.sendMessage({ params, body: { text: 'wait' } })
    await sessionWhen(client, id, ({ pendingTools }) => Object.keys(pendingTools).length > 0)

    const undo = client.undoChanges({ params, body: { turn: -2 } })
    await expect(undo).rejects.toMatchObject({ code: 'workspace_busy', details: { sessionIds: [id] } })
    await client.undoChanges({ params, body: { turn: -2, interrupt: true } })

    expect(await read('edited.txt')).toBe(LINES('one', 'x'))
    const events = await allEvents(client, id)
    const ends = events.flatMap((event) => (event.type === 'turn.ended' ? [event.data.stopReason] : []))
    expect(ends.at(-1)).toBe('interrupted')
  })

  test("leaves the user's git folder as it was", () => {
    const { place, gitBefore } = setup()
    expect(gitFolder(place.cwd)).toBe(gitBefore)
  })

  test('has its snapshots deleted with it', async () => {
    const { client, params, place } = setup()
    const stores = join(place.home, 'snapshots')
    expect(execFileSync('ls', [stores], { encoding: 'utf8' }).trim()).not.toBe('')

    await expectOrderly(client)
    await client.deleteSession({ params })

    expect(execFileSync('ls', [stores], { encoding: 'utf8' }).trim()).toBe('')
  })
})

/** Messages to the agent with this text, from all logs. */
async function sentWith(home: string, text: string): Promise<string> {
  const folder = join(home, 'logs')
  const logs = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
  const lines = logs.join('\n').split('\n')
  return lines.filter((line) => line.includes('"direction":"input"') && line.includes(text)).join('\n')
}

test('protected files and files that control agents are undone by an admin alone, and not shown to viewers', async () => {
  const place = await makePlace(() => ({
    rules: [
      { when: { user: 'go' }, reply: [{ tool: 'Bash', input: { command: 'node change.js' } }] },
      { reply: [{ text: 'ok' }] },
    ],
  }))
  const at = (name: string) => join(place.cwd, name)
  await writeFile(at('server.pem'), 'hidden words\n')
  await writeFile(at('CLAUDE.md'), 'rules\n')
  await writeFile(
    at('change.js'),
    "for (const name of ['server.pem', 'CLAUDE.md']) require('fs').unlinkSync(name)",
  )
  const { client, url, stop } = await startDaemonProcess(place)
  const { session } = await client.createSession({ body: { cwd: place.cwd } })
  const params = { id: session.id }
  await client.sendMessage({ params, body: { text: 'go' } })
  const { id: requestId } = await pendingRequest(client, session.id)
  await client.answerRequest({ params: { id: requestId }, body: { decision: 'allow' } })
  await sessionWhen(client, session.id, ({ turn, turns }) => turn === null && turns === 1)
  const as = async (role: 'viewer' | 'operator') => {
    const { secret } = await client.createToken({ body: { name: role, role } })
    return createClient({ url, token: secret })
  }
  const [viewer, operator] = [await as('viewer'), await as('operator')]

  await expect(viewer.undoChanges({ params, body: { turn: 1 } })).rejects.toMatchObject({
    code: 'role_insufficient',
  })
  await expect(operator.undoChanges({ params, body: { turn: 1 } })).rejects.toMatchObject({
    code: 'role_insufficient',
    message: expect.stringContaining('CLAUDE.md'),
  })
  const { diff } = await viewer.getDiff({ params })
  expect(
    diff.files.map(({ path, isProtected, hunks }) => [path, isProtected ?? false, hunks.length]),
  ).toEqual([
    ['CLAUDE.md', false, 1],
    ['server.pem', true, 0],
  ])
  expect(JSON.stringify(await operator.getDiff({ params }))).toContain('hidden words')
  await client.undoChanges({ params, body: { turn: 1 } })

  expect([await readFile(at('CLAUDE.md'), 'utf8'), await readFile(at('server.pem'), 'utf8')]).toEqual([
    'rules\n',
    'hidden words\n',
  ])
  expect(await stop()).toBe(0)
})
