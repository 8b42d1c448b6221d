/** Conversations of terminals, read from the transcripts of Claude Code. */

import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { problemsOf } from '../../../test/support/check-log.js'
import { makeTerminalLog, SESSION } from '../../../test/support/terminal-log.js'
import { makeTranscript, uuid } from '../../../test/support/transcript-file.js'

const OTHER = uuid('another session')

async function scene(options = {}) {
  const log = await makeTerminalLog({ transcripts: true, ...options })
  const transcript = makeTranscript(log.claudeFolder, SESSION)
  return {
    log,
    transcript,
    async read() {
      log.transcripts().start()
      await log.transcripts().idle()
    },
    /** Reads changes, found by the next scan. */
    async readMore() {
      log.clock.advance(20_000)
      await log.transcripts().idle()
    },
    texts: async (sessionId?: string) =>
      (await log.events(sessionId)).flatMap((event) =>
        event.type === 'text.ended' || event.type === 'message.queued' ? [event.data.text] : [],
      ),
  }
}

const HISTORY = Date.UTC(2026, 1, 18)

test('a conversation from before the installation is in the log: text, thinking, calls, figures', async () => {
  const { log, transcript, read } = await scene()
  const { prompt, think, say, call, result, system } = transcript
  transcript.write(
    prompt('list it') +
      think('Hm.', 'msg_a') +
      say('Looking.', 'msg_a') +
      call('toolu_1', 'Bash', { command: 'ls' }, 'msg_a') +
      result('toolu_1', 'a.txt', { toolUseResult: { stdout: 'a.txt', stderr: '' } }) +
      call('toolu_2', 'Bash', { command: 'exit 3' }, 'msg_b') +
      result('toolu_2', 'Exit code 3', { toolUseResult: 'Error: Exit code 3' }, { is_error: true }) +
      say('Done.', 'msg_c') +
      system('turn_duration', { durationMs: 8_000 }),
  )
  transcript.age(HISTORY)

  await read()

  const events = await log.events()
  expect(problemsOf(events)).toEqual([])
  expect(events.filter(({ type }) => type !== 'session.changed' && type !== 'usage.recorded')).toMatchObject([
    { type: 'session.created', data: { kind: 'observed', cwd: '/p' } },
    { type: 'message.queued', data: { text: 'list it', from: { who: 'terminal' } } },
    { type: 'turn.started', data: { origin: { kind: 'person' } } },
    { type: 'message.delivered' },
    { type: 'thinking.ended', data: { messageId: 'msg_a', index: 0, text: 'Hm.' } },
    { type: 'text.ended', data: { messageId: 'msg_a', index: 1, text: 'Looking.' } },
    { type: 'tool.requested', data: { toolUseId: 'toolu_1', name: 'Bash', input: { command: 'ls' } } },
    {
      type: 'tool.ended',
      data: { toolUseId: 'toolu_1', outcome: 'completed', result: { stdout: 'a.txt' }, durationMs: 1_000 },
    },
    { type: 'tool.requested', data: { toolUseId: 'toolu_2' } },
    { type: 'tool.ended', data: { toolUseId: 'toolu_2', outcome: 'failed', error: 'Exit code 3' } },
    { type: 'text.ended', data: { messageId: 'msg_c', text: 'Done.' } },
    { type: 'turn.ended', data: { outcome: 'completed', text: 'Done.' } },
    { type: 'session.ended' },
  ])
  expect(events[1]?.at).toBe('2026-02-18T10:00:01.000Z')
  const [session] = await log.sessions()
  // Three messages, one of them with three lines.
  expect(session).toMatchObject({
    isArchived: true,
    state: 'ended',
    model: 'claude-opus-5-5',
    branch: 'main',
    name: 'list it',
    usage: { inputTokens: 30, outputTokens: 60 },
    createdAt: '2026-02-18T10:00:01.000Z',
  })
  expect(session?.costUsd).toBeGreaterThan(0)
  expect(log.faults).toEqual([])
})

test('lists are in the order of conversations, not of their import', async () => {
  const { log, transcript, read } = await scene()
  const later = makeTranscript(log.claudeFolder, OTHER)
  later.at(Date.UTC(2026, 1, 19))
  later.write(later.prompt('later') + later.say('Yes.'))
  later.age(HISTORY)
  transcript.write(transcript.prompt('earlier') + transcript.say('Yes.'))
  transcript.age(HISTORY + 1_000)

  await read()

  expect((await log.sessions()).map(({ name }) => name)).toEqual(['later', 'earlier'])
})

test('a subagent is in the tree, with its own text, and ends with its call', async () => {
  const { log, transcript, read } = await scene()
  transcript.write(transcript.prompt('go') + transcript.call('toolu_9', 'Agent', { prompt: 'sub' }))
  const agent = transcript.agent('a1', { agentType: 'Explore', description: 'Looks', toolUseId: 'toolu_9' })
  agent.say('I look.', 'msg_sub')
  const answer = { toolUseResult: { agentId: 'a1', status: 'completed' } }
  transcript.write(
    transcript.result('toolu_9', [{ type: 'text', text: 'Found.' }], answer) + transcript.say('So.'),
  )
  transcript.age(HISTORY)

  await read()

  const events = await log.events()
  expect(problemsOf(events)).toEqual([])
  expect(events.filter(({ type }) => /^agent|^text|^tool/.test(type))).toMatchObject([
    { type: 'tool.requested' },
    { type: 'agent.started', data: { agentId: 'a1', agentType: 'Explore', parentToolUseId: 'toolu_9' } },
    { type: 'text.ended', data: { text: 'I look.', agentId: 'a1', parentToolUseId: 'toolu_9' } },
    { type: 'agent.ended', data: { agentId: 'a1', outcome: 'completed', text: 'Found.' } },
    { type: 'tool.ended', data: { toolUseId: 'toolu_9' } },
    { type: 'text.ended', data: { text: 'So.' } },
  ])
})

test('a copy of a conversation, as of a fork, is not recorded twice, whichever file is newer', async () => {
  const { log, transcript, read, texts } = await scene()
  const shared = transcript.prompt('first') + transcript.say('One.')
  transcript.write(shared)
  const fork = makeTranscript(log.claudeFolder, OTHER)
  fork.write(shared.replaceAll(SESSION, OTHER) + fork.prompt('second') + fork.say('Two.'))
  transcript.age(HISTORY)
  fork.age(HISTORY + 1_000)

  await read()

  expect(await texts(SESSION)).toEqual(['first', 'One.'])
  expect(await texts(OTHER)).toEqual(['second', 'Two.'])
})

test('a file that is replaced, truncated or rewritten is read again, and nothing of it is recorded twice', async () => {
  const { transcript, read, readMore, texts } = await scene()
  const one = transcript.prompt('one') + transcript.say('Eins.')
  const two = transcript.prompt('two') + transcript.say('Zwei.')
  transcript.write(one + two)
  await read()

  transcript.rewrite(one)
  await readMore()
  transcript.rewrite(one + two + transcript.prompt('three'))
  await readMore()
  writeFileSync(`${transcript.path}.new`, two + one + transcript.say('Drei.'))
  renameSync(`${transcript.path}.new`, transcript.path)
  await readMore()

  expect(await texts()).toEqual(['one', 'Eins.', 'two', 'Zwei.', 'three', 'Drei.'])
})

test('an end without warning right after a hook has created the session leaves nothing out', async () => {
  const { log, transcript, read, texts } = await scene()
  log.write('session.lifecycle', { phase: 'started', source: 'startup', transcriptPath: transcript.path })
  await log.look(10)
  await log.transcripts().close()
  log.database().exec('delete from transcript_files')
  transcript.write(transcript.prompt('hello') + transcript.say('Yes.'))

  log.restart()
  await read()

  expect(await texts()).toEqual(['hello', 'Yes.'])
})

test('a torn last line waits for its end, over a restart', async () => {
  const { log, transcript, read, readMore, texts } = await scene()
  const line = transcript.say('Whole, with é.')
  const cut = Buffer.from(line).indexOf(0xa9)
  transcript.write(transcript.prompt('hello'))
  appendFileSync(transcript.path, Buffer.from(line).subarray(0, cut))
  await read()
  expect(await texts()).toEqual(['hello'])

  await log.transcripts().close()
  log.restart()
  appendFileSync(transcript.path, Buffer.from(line).subarray(cut))
  await read()
  await readMore()

  expect(await texts()).toEqual(['hello', 'Whole, with é.'])
})

test('a conversation stays when its file is deleted', async () => {
  const { log, transcript, read, readMore, texts } = await scene()
  transcript.write(transcript.prompt('keep me') + transcript.say('Kept.'))
  transcript.age(HISTORY)
  await read()
  rmSync(transcript.path)
  await readMore()

  expect(await texts()).toEqual(['keep me', 'Kept.'])
  expect(await log.sessions()).toHaveLength(1)
})

test('what another program drives is left out, line by line', async () => {
  const { transcript, read, texts } = await scene()
  transcript.write(
    transcript.prompt('mine') +
      transcript.line({ type: 'user', entrypoint: 'sdk-ts', message: { content: 'theirs' } }),
  )

  await read()

  expect(await texts()).toEqual(['mine'])
})

test('hooks and transcript are merged: each fact once, and in order', async () => {
  const { log, transcript, read, readMore } = await scene()
  await read()
  const hook = { transcriptPath: transcript.path, promptId: uuid('do it') }
  const now = () => transcript.at(log.clock.now())
  log.write('session.lifecycle', { phase: 'started', source: 'startup', ...hook })
  log.write('turn.start', { prompt: 'do it', ...hook })
  await log.look(10)
  now()
  transcript.at(log.clock.now() - 990)
  transcript.write(transcript.prompt('do it'))
  transcript.at(log.clock.now() - 990)
  transcript.write(transcript.call('toolu_1', 'Read', { file_path: 'a' }, 'msg_1'))
  await readMore()
  transcript.at(log.clock.now() - 990)
  transcript.write(transcript.result('toolu_1', 'text'))
  transcript.at(log.clock.now() - 990)
  transcript.write(transcript.say('Did it.', 'msg_2'))
  log.write('turn.end', { outcome: 'completed', lastAssistantMessage: 'Did it.', ...hook })
  await log.look(10)
  transcript.write(transcript.system('turn_duration'))
  await readMore()
  log.write('session.lifecycle', { phase: 'ended', reason: 'prompt_input_exit', ...hook })
  await log.look(10)

  const events = await log.events()
  expect(problemsOf(events)).toEqual([])
  const types = events.map(({ type }) => type)
  expect(types.filter((type) => type !== 'session.changed' && type !== 'usage.recorded')).toEqual([
    'session.created',
    'message.queued',
    'turn.started',
    'message.delivered',
    'tool.requested',
    'tool.ended',
    'text.ended',
    'turn.ended',
    'session.ended',
  ])
  expect(types.filter((type) => type === 'usage.recorded')).toHaveLength(2)
  expect(log.faults).toEqual([])
})

test('a hook that is late finds what the transcript has recorded', async () => {
  const { log, transcript, read, texts } = await scene()
  transcript.at(log.clock.now() - 5_000)
  transcript.write(
    transcript.prompt('early') + transcript.say('Answer.', 'msg_1') + transcript.system('turn_duration'),
  )
  await read()
  const hook = { transcriptPath: transcript.path, promptId: uuid('early') }
  log.write('turn.start', { prompt: 'early', ...hook })
  log.write('turn.end', { outcome: 'completed', lastAssistantMessage: 'Answer.', ...hook })
  await log.look(10)

  expect(await texts()).toEqual(['early', 'Answer.'])
  const types = await log.types()
  expect(types.filter((type) => type.startsWith('turn'))).toEqual(['turn.started', 'turn.ended'])
})

test('symlinks are not followed, and names become ids only if they are ids', async () => {
  const { log, transcript, read } = await scene()
  const projects = join(log.claudeFolder, 'projects')
  const elsewhere = makeTranscript(join(log.claudeFolder, 'elsewhere'), OTHER)
  elsewhere.write(elsewhere.prompt('secret elsewhere'))
  symlinkSync(elsewhere.path, join(projects, '-p', `${OTHER}.jsonl`))
  symlinkSync(join(log.claudeFolder, 'elsewhere', 'projects', '-p'), join(projects, '-linked'))
  mkdirSync(join(projects, '..hidden'), { recursive: true })
  writeFileSync(join(projects, '-p', 'not-an-id.jsonl'), transcript.prompt('no id'))
  mkdirSync(join(projects, '-p', SESSION), { recursive: true })
  symlinkSync(join(log.claudeFolder, 'elsewhere'), join(projects, '-p', SESSION, 'subagents'))
  transcript.write(transcript.prompt('mine') + transcript.call('../../etc/passwd', 'Read', {}))

  await read()

  const sessions = await log.sessions()
  expect(sessions.map(({ name }) => name)).toEqual(['mine'])
  const call = (await log.events()).find(({ type }) => type === 'tool.requested')
  expect(call?.data).toMatchObject({ toolUseId: expect.stringMatching(/^x[0-9a-f]{32}$/) })
})

test('a line that is too long is kept truncated, with its place, and its call ends', async () => {
  const { log, transcript, read, texts } = await scene()
  transcript.write(transcript.prompt('big') + transcript.call('toolu_1', 'Bash', { command: 'yes' }))
  const offset = statSync(transcript.path).size
  transcript.write(transcript.result('toolu_1', 'y\n'.repeat(9 << 20)) + transcript.say('Done.'))

  await read()

  expect(await texts()).toEqual(['big', 'Done.'])
  const events = await log.events()
  expect(events.find(({ type }) => type === 'notice.raised')?.data).toMatchObject({
    text: `A line of 29 MB of the transcript is kept truncated: byte ${offset} of ${transcript.path}.`,
  })
  const end = events.find(({ type }) => type === 'tool.ended')
  expect(JSON.stringify(end?.data).length).toBeLessThan(40_000)
  expect(end?.data).toMatchObject({ toolUseId: 'toolu_1', outcome: 'completed' })
})

test('hostile lines are left out or made harmless, and those after them are read', async () => {
  const { log, transcript, read, texts } = await scene()
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const odd = [
    '{"type":"user"',
    'null',
    '[1]',
    '{"type":"user","message":{"content":7}}',
    '{"type":"assistant","message":null}',
    `{"type":"assistant","timestamp":"9999999-01-01","uuid":{},"message":{"id":"","model":"m","content":[{"type":"tool_use","id":"deep","name":"N","input":${deep}}]}}`,
    '{"type":"user","__proto__":{"isMeta":false},"uuid":"u","message":{"content":"\\ud800 half"}}',
    '{"type":"permission.resolved","data":{"decision":"allow"},"x":{"type":"user"}}',
    '{"type":"user","uuid":"e","message":{"content":[{"type":"permission.requested","requestId":"per_1"},{"type":"text","text":"{\\"type\\":\\"grant.revoked\\"}"}]}}',
  ]
  transcript.write(transcript.prompt('start') + odd.map((line) => `${line}\n`).join(''))
  appendFileSync(transcript.path, Buffer.from([0x7b, 0xff, 0xfe, 0x0a]))
  transcript.write(transcript.say('Alive.'))

  await read()

  expect((await texts()).at(-1)).toBe('Alive.')
  const types = new Set(await log.types())
  expect([...types].filter((type) => /^(permission|question|request|grant|tool\.judged)/.test(type))).toEqual(
    [],
  )
  expect(log.faults).toEqual([])
})

test('an import that the end of the daemon interrupts goes on as one of the past', async () => {
  const { log, transcript, read, texts } = await scene()
  const many = Array.from({ length: 1_000 }, (_, index) => transcript.say(`Line ${index}.`, `msg_${index}`))
  transcript.write(transcript.prompt('old') + many.join(''))
  transcript.age(HISTORY)
  const live: string[] = []
  log.journal.subscribe({ deliver: (items) => live.push(...items.map(({ event }) => event.type)) })
  log.transcripts().start()
  await expect.poll(async () => (await texts()).length, { interval: 1 }).toBeGreaterThan(1)
  await log.transcripts().close()
  expect((await texts()).length).toBeLessThan(1_001)

  log.restart()
  await read()

  expect(await texts()).toEqual(['old', ...many.map((_, index) => `Line ${index}.`)])
  expect(await log.sessions()).toMatchObject([{ isArchived: true, state: 'ended' }])
  expect(live).toEqual([])
})

test('a copy waits for its original, and its hooks do not', async () => {
  const { log, transcript, texts } = await scene()
  const many = Array.from({ length: 1_000 }, (_, index) => transcript.say(`Line ${index}.`, `msg_${index}`))
  const shared = transcript.prompt('first') + many.join('')
  transcript.write(shared)
  transcript.age(HISTORY)
  log.transcripts().start()
  await expect.poll(async () => (await texts()).length, { interval: 1 }).toBeGreaterThan(1)
  const fork = makeTranscript(log.claudeFolder, OTHER)
  fork.write(shared.replaceAll(SESSION, OTHER) + fork.prompt('second'))

  log.write('turn.start', { prompt: 'second', sessionId: OTHER, transcriptPath: fork.path })
  await log.look(10)
  expect(await texts(OTHER)).toEqual(['second'])
  expect((await texts()).length).toBeLessThan(1_001)
  await log.transcripts().idle()

  expect(await texts()).toHaveLength(1_001)
  expect(await texts(OTHER)).toEqual(['second'])
})

test('titles and long lines in the files of other programs create no session', async () => {
  const { log, transcript, read } = await scene()
  const theirs = { type: 'user', entrypoint: 'sdk-ts', message: { content: 'theirs' } }
  transcript.write(
    transcript.line(theirs) +
      `${JSON.stringify({ type: 'custom-title', customTitle: 'Theirs', sessionId: SESSION })}\n` +
      transcript.line({ ...theirs, message: { content: 'x'.repeat(17 << 20) } }),
  )
  transcript.age(HISTORY)
  const summary = makeTranscript(log.claudeFolder, OTHER)
  summary.write(`${JSON.stringify({ type: 'summary', summary: 'Alone', leafUuid: uuid('leaf') })}\n`)
  summary.age(HISTORY)

  await read()

  expect(await log.sessions()).toEqual([])
})

test('a title without a time, before the first message, does not date the session', async () => {
  const { log, transcript, read } = await scene()
  transcript.write(
    `${JSON.stringify({ type: 'custom-title', customTitle: 'Mine', sessionId: SESSION })}\n` +
      transcript.prompt('hello'),
  )
  transcript.age(HISTORY)

  await read()

  expect(await log.sessions()).toMatchObject([{ name: 'Mine', createdAt: '2026-02-18T10:00:01.000Z' }])
})

test('a title that came before its session is kept until there is one', async () => {
  const { log, transcript, read, readMore } = await scene()
  transcript.write(`${JSON.stringify({ type: 'custom-title', customTitle: 'Mine', sessionId: SESSION })}\n`)
  await read()
  expect(await log.sessions()).toEqual([])

  transcript.write(transcript.prompt('hello'))
  await readMore()

  expect(await log.sessions()).toMatchObject([{ name: 'Mine' }])
})

test('what retention would delete at once is not imported', async () => {
  const { log, transcript, read } = await scene({ retentionDays: 1 })
  transcript.write(transcript.prompt('old'))
  transcript.age(Date.UTC(2020, 0))

  await read()

  expect(await log.sessions()).toEqual([])
  expect(log.transcripts().status).toMatchObject({ state: 'following', sessions: 0 })
})

test('transcripts that come later with an old time, such as those of a backup, are imported', async () => {
  const { log, transcript, read, readMore, texts } = await scene()
  await read()
  transcript.write(transcript.prompt('restored'))
  transcript.age(HISTORY)
  await readMore()

  expect(await texts()).toEqual(['restored'])
  expect(log.transcripts().status.state).toBe('following')
})

test('a large file without a line end is scanned in slices', async () => {
  const { transcript, read, texts } = await scene()
  transcript.write(transcript.prompt('mine'))
  truncateSync(transcript.path, 1 << 30)
  let turns = 0
  const timer = setInterval(() => (turns += 1), 1)
  await read()
  clearInterval(timer)

  expect(await texts()).toEqual(['mine'])
  expect(turns).toBeGreaterThan(10)
})
