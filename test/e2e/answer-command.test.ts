/** The inbox on the command line, for every kind of request, typed as arguments and asked for in a terminal. */

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Session } from '../../src/protocol/session.js'
import {
  expectOrderly,
  MAIN,
  pendingRequest,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { findCommand } from '../support/find-command.js'
import { makeStandInPlace } from '../support/stand-in.js'
import { openTerminal } from '../support/terminal.js'
import { share } from '../support/when-done.js'

const run = promisify(execFile)
const isIdle = ({ state, turns }: Session) => state === 'idle' && turns === 1
const schema = {
  properties: { name: { type: 'string' }, size: { type: 'integer', title: 'How large' } },
  required: ['name'],
}
const PROMPTS = {
  permission: 'ask Write {"file_path":"/a","content":"a"}',
  question:
    'question [{"question":"Which?","options":[{"label":"A"},{"label":"B"}]},{"question":"Some?","multiSelect":true}]',
  plan: 'plan # Build it',
  form: `elicit ${JSON.stringify({ serverName: 'kit', message: 'Who?', requestedSchema: schema })}`,
  page: 'elicit {"serverName":"kit","message":"Log in.","mode":"url","url":"https://example.com/x"}',
} as const
type Kind = keyof typeof PROMPTS

/** One daemon for all: each test has a session of its own. */
const shared = share(async () => {
  const place = await makeStandInPlace()
  return { place, daemon: await startDaemonProcess(place) }
}, 60_000)

async function begin(kind: Kind) {
  const { place, daemon } = shared()
  const { client } = daemon
  const body = { cwd: place.cwd, prompt: PROMPTS[kind], options: place.options }
  const { session } = await client.createSession({ body })
  const request = await pendingRequest(client, session.id)
  const signalbox = (...args: string[]) =>
    run(process.execPath, [MAIN, ...args, '--home', place.home], { env: place.env, cwd: place.cwd })
  /** The answer that reached the agent. */
  const reply = async () => {
    await sessionWhen(client, session.id, isIdle)
    await expectOrderly(client)
    await client.stopSession({ params: { id: session.id }, body: {} })
    return (await place.decisions()).at(-1)?.reply
  }
  return { ...place, client, request, signalbox, reply }
}

describe('typed', () => {
  test.each<[Kind, string[], unknown]>([
    ['permission', ['allow'], { behavior: 'allow' }],
    [
      'permission',
      ['allow', '--input', '{"file_path":"/b"}'],
      { behavior: 'allow', updatedInput: { file_path: '/b' } },
    ],
    ['permission', ['allow', '--until', '2100-01-01T00:00'], { behavior: 'allow' }],
    ['permission', ['deny', '--message', 'no'], { behavior: 'deny', message: 'no' }],
    ['permission', ['answer', 'deny', 'not', 'now'], { behavior: 'deny', message: 'not now' }],
    [
      'question',
      ['answer', 'A', 'x, y', '--note', 'small'],
      {
        updatedInput: {
          answers: { 'Which?': 'A', 'Some?': 'x, y' },
          annotations: { 'Which?': { notes: 'small' } },
        },
      },
    ],
    ['question', ['deny', '--message', 'later'], { behavior: 'deny', message: 'later' }],
    [
      'plan',
      ['allow', '--mode', 'acceptEdits'],
      { behavior: 'allow', updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits' }] },
    ],
    ['plan', ['deny', '--message', 'smaller'], { behavior: 'deny', message: 'smaller' }],
    ['form', ['answer', 'name=Kim', 'size=7'], { action: 'accept', content: { name: 'Kim', size: 7 } }],
    ['form', ['allow', '--input', '{"name":"Kim"}'], { action: 'accept', content: { name: 'Kim' } }],
    ['form', ['deny'], { action: 'decline' }],
    ['page', ['allow'], { action: 'accept' }],
    ['page', ['answer', 'cancel'], { action: 'cancel' }],
  ])('a %s: %j', async (kind, [command = '', ...rest], expected) => {
    const { request, signalbox, reply } = await begin(kind)
    expect((await signalbox('inbox')).stdout).toContain(request.id)

    await signalbox(command, request.id, ...rest)

    expect(await reply()).toMatchObject(expected as object)
  })
})

test('an answer that makes no sense is refused with exit code 2, and the request goes on waiting', async () => {
  const { request, signalbox, reply } = await begin('form')

  for (const args of [['allow'], ['answer', 'size=7'], ['answer', 'colour=red'], ['answer']]) {
    const [command = '', ...rest] = args
    await expect(signalbox(command, request.id, ...rest)).rejects.toMatchObject({ code: 2 })
  }

  await signalbox('answer', request.id, 'name=Kim')
  expect(await reply()).toEqual({ action: 'accept', content: { name: 'Kim' } })
})

describe.skipIf(findCommand('tmux') === null)('in a terminal', () => {
  test.each<[Kind, [string, string][], unknown]>([
    ['permission', [['[y] allow', 'y']], { behavior: 'allow' }],
    [
      'question',
      [
        ['[1-2] choose', '2'],
        ['Numbers, comma-separated', 'mine'],
      ],
      { updatedInput: { answers: { 'Which?': 'B', 'Some?': 'mine' } } },
    ],
    ['plan', [['[e] approve and accept edits', 'e']], { updatedPermissions: [{ mode: 'acceptEdits' }] }],
    [
      'form',
      [
        ['[y] fill it in', 'y'],
        ['name', 'Kim'],
        ['How large', '7'],
      ],
      { action: 'accept', content: { name: 'Kim', size: 7 } },
    ],
    ['page', [['[y] done  [n] decline', 'n']], { action: 'decline' }],
  ])('a %s', async (kind, dialogue, expected) => {
    const { request, reply, cwd, env, home } = await begin(kind)
    const command = `'${process.execPath}' '${MAIN}' answer ${request.id} --home '${home}'`
    const terminal = await openTerminal(command, { cwd, env })

    for (const [shown, typed] of dialogue) {
      await terminal.shows(shown)
      if (shown.startsWith('[')) {
        // The key is shown behind its prompt.
        await terminal.pressUntil(typed, new RegExp(`: ${typed}$`, 'm'))
        continue
      }
      await terminal.type(typed)
      await terminal.press('Enter')
    }

    expect(await reply()).toMatchObject(expected as object)
  })
})
