/** Lists that follow what happens, in a real terminal, over a crash of the daemon. */

import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
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
      { when: { toolResult: '*' }, reply: [{ text: 'It is written.' }] },
      {
        when: { user: 'write' },
        reply: [{ tool: 'Write', input: { file_path: join(cwd, 'a.txt'), content: 'written' } }],
      },
      { reply: [{ text: 'Hello.' }] },
    ],
  }))

test.skipIf(findCommand('tmux') === null)(
  'the list of sessions and the inbox follow what happens, and a key answers',
  async () => {
    const at = await place()
    const first = await startDaemonProcess(at)
    const node = `${process.execPath} ${MAIN}`
    const watching = await openTerminal(`${node} sessions --watch --home ${at.home}`, at)
    const following = await openTerminal(`${node} inbox --follow --home ${at.home}`, at)
    await watching.shows('No sessions.')
    await following.shows('Following the inbox')

    const { client } = first
    const { session } = await client.createSession({
      body: { cwd: at.cwd, prompt: 'write', title: 'A note' },
    })
    await watching.shows(/Waiting for you +\d+s +A note/)
    await watching.shows('Write: a.txt')
    await following.shows('[y] allow')
    await following.shows('A note · ')

    await first.kill()
    await watching.shows('The daemon is not responding')
    // On any free port: both find the new daemon through its home.
    const second = await startDaemonProcess(at)
    await pendingRequest(second.client, session.id)
    await following.press('y')

    await sessionWhen(second.client, session.id, ({ state, turns }) => state === 'idle' && turns > 0)
    await watching.shows(/Idle +\d+s +A note/)
    expect(await watching.screen()).not.toContain('Waiting for you')
    await following.shows('Allowed by')
    await following.press('C-c')
    await following.type('stty -a | tr " " "\\n" | grep -c "^-icanon"; echo "ended $?"')
    await following.press('Enter')
    // The terminal takes whole lines again.
    await following.shows(/0\s+ended 1/)
    await second.stop()
  },
  120_000,
)
