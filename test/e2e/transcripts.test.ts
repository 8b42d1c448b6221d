/** The conversation of a terminal in our log, beside the same one that we have driven ourselves. */

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SessionEvent } from '../../src/protocol/event/event.js'
import { problemsOf } from '../support/check-log.js'
import { allEvents, sessionWhen, startDaemonProcess } from '../support/daemon-process.js'
import { findCommand } from '../support/find-command.js'
import { openTerminal } from '../support/terminal.js'
import { makeTerminalHome } from '../support/terminal-home.js'
import { makeTranscript, uuid } from '../support/transcript-file.js'

const bash = (command: string) => ({ tool: 'Bash', input: { command, description: 'Runs' } })

/** The answers of the model are the same for both: nothing in them is for one time only. */
const SCRIPT = {
  rules: [
    { when: { agent: 'SUBTASK', toolResult: 'Bash' }, reply: [{ text: 'Sub is done.' }] },
    { when: { agent: 'SUBTASK' }, reply: [{ text: 'Sub starts.' }, bash('echo sub')] },
    {
      when: { toolResult: 'Write' },
      reply: [{ text: 'Now two commands.' }, bash('echo one'), bash('exit 3')],
    },
    {
      when: { toolResult: 'Bash' },
      reply: [
        {
          tool: 'Agent',
          input: { description: 'Sub work', prompt: 'SUBTASK do it', subagent_type: 'general-purpose' },
        },
      ],
    },
    { when: { toolResult: 'Agent' }, reply: [{ text: 'All is done.' }] },
    { when: { user: 'fail' }, reply: [{ error: 400, message: 'a bad request' }] },
    {
      when: { user: 'work' },
      reply: [
        { thinking: 'Let me think.' },
        { text: 'First I write.' },
        { tool: 'Write', input: { file_path: 'PLACE', content: 'hello\n' } },
      ],
    },
    { reply: [{ text: 'Hello.' }] },
  ],
}

/** Facts of the conversation. Left out: what only the driver of a session knows, and states that pass. */
const COMPARED = new Set([
  'message.queued',
  'message.delivered',
  'turn.started',
  'turn.ended',
  'text.ended',
  'thinking.ended',
  'tool.requested',
  'tool.ended',
  'agent.started',
  'agent.ended',
])

/**
 * Fields that differ: ids and times; who has sent a message; snapshots of the workspace; durations; the figures of a turn,
 * which a terminal has per message (`usage.recorded`); the ends that only the result of the SDK reports.
 */
const DIFFERENT = new Set(
  `messageId messageIds turnId uuid toolUseId parentToolUseId agentId
  from snapshot durationMs
  usage modelUsage costUsd isScripted turns origin stopReason
  agentType isBackground prompt`.split(/\s+/),
)

function essence({ type, data }: SessionEvent): unknown {
  const fields = Object.entries(data).filter(([name]) => !DIFFERENT.has(name))
  const rest = Object.fromEntries(fields)
  // The structured result of a subagent has figures and ids of its run.
  if (type === 'tool.ended' && data.name === 'Agent') return { type, outcome: data.outcome }
  // Of the calls of subagents, the SDK gives only the text.
  if (type === 'tool.ended' && data.agentId !== undefined)
    return { type, outcome: data.outcome, isOfAgent: true }
  // The SDK reports the last words of a background agent with its end.
  if (type === 'agent.ended') return { type, outcome: data.outcome, isOfAgent: true }
  return { type, ...rest, ...('agentId' in data && { isOfAgent: true }) }
}

/** In the order of the main agent; what a subagent does at the same time comes in its own order. */
function facts(events: readonly SessionEvent[]): unknown[] {
  const all = events.filter(({ type }) => COMPARED.has(type)).map(essence)
  const isOfAgent = (fact: unknown) => 'isOfAgent' in (fact as object)
  return [...all.filter((fact) => !isOfAgent(fact)), ...all.filter(isOfAgent)]
}

test.skipIf(!findCommand('tmux'))(
  'a conversation in a terminal and the same one driven by us have the same log, but for the listed fields',
  async () => {
    const at = await makeTerminalHome(SCRIPT)
    await at.signalbox('hooks', 'install')
    const daemon = await startDaemonProcess(at.place)
    const command = `${at.folder}/bin/claude --permission-mode bypassPermissions`
    const terminal = await openTerminal(command, { cwd: at.cwd, env: at.env })
    await terminal.shows(/❯|Yes, I accept/)
    if ((await terminal.screen()).includes('Yes, I accept')) {
      await terminal.press('Down')
      await terminal.press('Enter')
      await terminal.shows('❯')
    }
    const say = async (text: string, until: string) => {
      await terminal.type(text)
      await terminal.shows(text)
      await terminal.pressUntil('Enter', until)
    }
    await say('work now', 'Hello.')
    await say('fail now', 'a bad request')
    const observed = async () =>
      (await daemon.client.listSessions({ query: { kind: 'observed' } })).sessions[0]
    await expect.poll(async () => (await observed())?.turns).toBe(3)
    await terminal.type('/exit')
    await terminal.press('Enter')
    await expect.poll(async () => (await observed())?.state).toBe('ended')
    const id = (await observed())?.id ?? ''
    await rm(join(at.cwd, 'PLACE'))

    const { session } = await daemon.client.createSession({
      body: { cwd: at.cwd, prompt: 'work now', permissionMode: 'bypassPermissions' },
    })
    await sessionWhen(daemon.client, session.id, ({ turns }) => turns === 2)
    await daemon.client.sendMessage({ params: { id: session.id }, body: { text: 'fail now' } })
    await sessionWhen(daemon.client, session.id, ({ turns }) => turns === 3)

    const inTerminal = await allEvents(daemon.client, id)
    const driven = await allEvents(daemon.client, session.id)
    expect(problemsOf(inTerminal)).toEqual([])
    expect(facts(inTerminal)).toEqual(facts(driven))
    const { session: seen } = await daemon.client.getSession({ params: { id } })
    const { session: ours } = await daemon.client.getSession({ params: { id: session.id } })
    expect(seen.modelUsage['claude-opus-5-5']?.outputTokens).toBe(
      ours.modelUsage['claude-opus-5-5']?.outputTokens,
    )
    expect(daemon.stderr()).toBe('')
  },
)

test('a conversation from before the installation is listed, read, searched and priced, also without its file', async () => {
  const at = await makeTerminalHome(SCRIPT)
  const before = makeTranscript(at.claudeFolder, uuid('long ago'))
  before.write(before.prompt('count the lighthouses') + before.say('There are seven.', 'msg_1'))
  before.age(Date.UTC(2026, 1, 18))
  const daemon = await startDaemonProcess(at.place)
  const history = async () =>
    JSON.parse((await at.signalbox('sessions', '--history', '--json')).stdout) as {
      sessions: { id: string; name: string; state: string; costUsd: number }[]
      transcripts: { importedSessions: number }
    }
  await expect.poll(async () => (await history()).transcripts.importedSessions).toBe(1)
  await rm(before.path)

  const { sessions } = await history()
  expect(sessions).toMatchObject([{ name: 'count the lighthouses', state: 'ended' }])
  const [{ id, costUsd } = { id: '', costUsd: 0 }] = sessions
  expect(costUsd).toBeGreaterThan(0)
  expect((await at.signalbox('show', id)).stdout).toContain('There are seven.')
  expect((await at.signalbox('search', 'lighthouses')).stdout).toContain('count the lighthouses')
  expect((await at.signalbox('sessions', '--json')).stdout).not.toContain('lighthouses')
  expect(daemon.stderr()).toBe('')
})
