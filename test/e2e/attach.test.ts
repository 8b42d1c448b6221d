/** A session in a terminal of its own: followed, answered, typed to and interrupted, over crashes of the daemon. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  expectOrderly,
  MAIN,
  makePlace,
  pendingRequest,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { findCommand } from '../support/find-command.js'
import { openTerminal } from '../support/terminal.js'

const place = () =>
  makePlace((cwd) => ({
    rules: [
      { when: { toolResult: '*' }, reply: [{ text: 'The file is **there**.' }] },
      {
        when: { user: 'write' },
        reply: [{ tool: 'Write', input: { file_path: join(cwd, 'a.txt'), content: 'written' } }],
      },
      { when: { user: 'talk' }, reply: [{ text: 'word '.repeat(2_000), delayMs: 10 }] },
      { reply: [{ text: 'You said: {{user}}' }] },
    ],
  }))

test.skipIf(findCommand('tmux') === null)(
  'a session is followed, answered, typed to and interrupted, and survives a kill of the daemon',
  async () => {
    const at = await place()
    const first = await startDaemonProcess(at)
    const { session } = await first.client.createSession({
      body: { cwd: at.cwd, prompt: 'hello', title: 'A talk' },
    })
    await sessionWhen(first.client, session.id, ({ state, turns }) => state === 'idle' && turns === 1)

    // By the end of its id, as the list shows it.
    const terminal = await openTerminal(
      `${process.execPath} ${MAIN} attach ${session.id.slice(-6)} --home ${at.home}; echo exit $?`,
      at,
    )
    await terminal.shows('A talk · ')
    await terminal.shows('You said: hello')
    await terminal.shows('Idle ›')

    await terminal.type('write it')
    await terminal.shows('› write it')
    await terminal.press('Enter')
    await terminal.shows('[y] allow')
    const before = await pendingRequest(first.client, session.id)

    await first.kill()
    await terminal.shows('The daemon is not responding')
    const second = await startDaemonProcess(at)
    await terminal.shows('Connected again.')
    expect((await pendingRequest(second.client, session.id)).id).toBe(before.id)
    await terminal.pressUntil('y', 'Allowed by')
    await terminal.shows('The file is **there**.')
    expect(await readFile(join(at.cwd, 'a.txt'), 'utf8')).toBe('written')

    await terminal.shows('Idle ›')
    await terminal.type('talk')
    await terminal.press('Enter')
    await terminal.shows('word word')
    await terminal.press('C-c')
    await terminal.shows('Interrupted.')
    await terminal.shows('Idle ›')

    await terminal.press('C-d')
    await terminal.shows('exit 0')
    await terminal.type('stty -a | tr " " "\\n" | grep -c "^-icanon"')
    await terminal.press('Enter')
    await terminal.shows(/grep -c "\^-icanon"\s+0/)
    expect((await second.client.getSession({ params: { id: session.id } })).session.state).toBe('idle')
    await expectOrderly(second.client)
    await second.stop()
  },
  180_000,
)
