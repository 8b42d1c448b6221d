/** Commands on several sessions and requests at once. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import {
  expectOrderly,
  MAIN,
  makePlace,
  type Place,
  pendingRequest,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { findCommand } from '../support/find-command.js'
import { openTerminal } from '../support/terminal.js'

const place = () =>
  makePlace((cwd) => ({
    rules: [
      { when: { toolResult: '*' }, reply: [{ text: 'All right.' }] },
      { reply: [{ tool: 'Write', input: { file_path: join(cwd, 'a.txt'), content: 'written' } }] },
    ],
  }))

async function signalbox({ env, cwd, home }: Place, ...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args, '--home', home], { env, cwd, stdio: 'pipe' })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, stdout, stderr }
}

test.skipIf(findCommand('tmux') === null)(
  'all requests are denied at once, several turns are interrupted, and all sessions are stopped after a yes',
  async () => {
    const at = await place()
    const { client, stop } = await startDaemonProcess(at)
    const create = async (title: string) =>
      (await client.createSession({ body: { cwd: at.cwd, prompt: 'write', title } })).session.id
    const ids = [await create('One'), await create('Two')]
    for (const id of ids) await pendingRequest(client, id)

    // The command that the dashboard shows works as it is shown, from any folder.
    const { about } = await client.about()
    const shown = spawn('sh', ['-c', `${about.command} sessions --json`], { cwd: '/', env: at.env })
    const [listed] = await Promise.all([text(shown.stdout), once(shown, 'exit')])
    expect(JSON.parse(listed)).toMatchObject({ sessions: [{}, {}] })

    expect(await signalbox(at, 'deny')).toMatchObject({ code: 2 })
    const denied = await signalbox(at, 'deny', '--all', '--message', 'not now', '--json')
    expect(JSON.parse(denied.stdout)).toMatchObject({
      done: [{ request: { state: 'resolved' } }, { request: { state: 'resolved' } }],
      failed: [],
    })
    for (const id of ids) await sessionWhen(client, id, ({ state }) => state === 'idle')

    // An id that is wrong stops the others too: nothing is done by halves.
    expect(await signalbox(at, 'stop', ids[0] ?? '', 'zzzz')).toMatchObject({ code: 3 })
    expect(await signalbox(at, 'interrupt', ...ids)).toMatchObject({ code: 0 })
    expect(await signalbox(at, 'continue', '--all')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('No sessions to continue'),
    })

    const offered = await signalbox(at, 'complete', 'session')
    expect(offered).toMatchObject({ code: 0, stderr: '' })
    expect(offered.stdout).toMatch(/^\w{4}\tTwo\n\w{4}\tOne\n$/)

    const terminal = await openTerminal(`${process.execPath} ${MAIN} stop --all --home ${at.home}`, at)
    await terminal.shows('Stop these 2 sessions? [y] yes  [n] no')
    await terminal.pressUntil('n', 'Nothing was changed.')
    await terminal.type('clear')
    await terminal.press('Enter')
    await terminal.type(`${process.execPath} ${MAIN} stop --all --home ${at.home}`)
    await terminal.press('Enter')
    await terminal.shows('Stop these 2 sessions?')
    await terminal.pressUntil('y', /is ended/)
    for (const id of ids) await sessionWhen(client, id, ({ state }) => state === 'ended')
    await expectOrderly(client)
    await stop()
    // A shell that completes while the daemon is away is not disturbed.
    expect(await signalbox(at, 'complete', 'session')).toEqual({ code: 0, stdout: '', stderr: '' })
  },
  120_000,
)
