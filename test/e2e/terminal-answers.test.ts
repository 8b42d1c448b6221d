/** Requests of plain terminals, answered remotely or there: terminal and inbox agree, whatever happens. */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { InboxRequest } from '../../src/protocol/request.js'
import { problemsOf } from '../support/check-log.js'
import {
  allEvents,
  type DaemonProcess,
  expectOrderly,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { findCommand } from '../support/find-command.js'
import { openTerminal, type RealTerminal } from '../support/terminal.js'
import { makeTerminalHome, type TerminalHome } from '../support/terminal-home.js'

const QUESTION = {
  question: 'Which colour?',
  header: 'Colour',
  multiSelect: false,
  options: [
    { label: 'Red', description: 'like a rose' },
    { label: 'Blue', description: 'like the sky' },
  ],
}
const bash = (command: string) => ({ tool: 'Bash', input: { command, description: 'Makes a folder' } })

const SCRIPT = {
  rules: [
    { when: { toolResult: '*' }, reply: [{ text: 'All is said.' }] },
    { when: { user: 'run two' }, reply: [bash('mkdir one'), bash('mkdir two')] },
    { when: { user: 'run' }, reply: [bash('mkdir made')] },
    { when: { user: 'ask' }, reply: [{ tool: 'AskUserQuestion', input: { questions: [QUESTION] } }] },
    { when: { user: 'plan' }, reply: [{ tool: 'ExitPlanMode', input: {} }] },
    { reply: [{ text: 'Hello.' }] },
  ],
}

describe.skipIf(!findCommand('tmux'))('in a terminal', () => {
  interface Scene {
    at: TerminalHome
    daemon: DaemonProcess
    terminal: RealTerminal
    say(text: string): Promise<void>
    /** The one request that waits, once a hook holds it. */
    held(): Promise<InboxRequest>
    resolved(id: string): Promise<InboxRequest['resolution']>
  }

  async function start({ mode = 'default', install = [] as string[] } = {}): Promise<Scene> {
    const at = await makeTerminalHome(SCRIPT)
    await at.signalbox('hooks', 'install', ...install)
    const daemon = await startDaemonProcess(at.place)
    const command = `${at.folder}/bin/claude --permission-mode ${mode}`
    const terminal = await openTerminal(command, { cwd: at.cwd, env: at.env })
    await terminal.shows('❯')
    const pending = async () => (await daemon.client.listRequests({ query: { state: 'pending' } })).requests
    return {
      at,
      daemon,
      terminal,
      async say(text) {
        await terminal.type(text)
        await terminal.shows(text)
        await terminal.press('Enter')
      },
      async held() {
        await expect.poll(async () => (await pending()).length, { timeout: 20_000, interval: 20 }).toBe(1)
        await expect.poll(() => at.hooks(), { timeout: 5_000, interval: 20 }).toBe(1)
        return (await pending())[0] as InboxRequest
      },
      async resolved(id) {
        const one = async () => (await daemon.client.getRequest({ params: { id } })).request
        await expect.poll(async () => (await one()).state, { timeout: 20_000, interval: 20 }).toBe('resolved')
        return (await one()).resolution
      },
    }
  }

  /** Nothing is held any more, and what the log says is whole. */
  async function agree({ at, daemon, terminal }: Scene): Promise<void> {
    await expect.poll(() => at.hooks(), { timeout: 10_000, interval: 50 }).toBe(0)
    await expectOrderly(daemon.client)
    expect(daemon.stderr()).toBe('')
    expect(await terminal.screen()).not.toContain('hook error')
  }

  const answer = ({ daemon }: Scene, id: string, body: object) =>
    daemon.client.answerRequest({ params: { id }, body: body as { decision: 'allow' } })

  test('a permission is allowed from elsewhere', async () => {
    const scene = await start()
    await scene.say('run it')
    const request = await scene.held()
    expect(request).toMatchObject({ kind: 'permission', toolName: 'Bash', input: { command: 'mkdir made' } })
    await scene.terminal.shows('Do you want to proceed?')
    const { session } = await scene.daemon.client.getSession({ params: { id: request.sessionId } })
    expect(session).toMatchObject({ kind: 'observed', state: 'permission' })

    await answer(scene, request.id, { decision: 'allow' })

    await scene.terminal.shows('All is said.')
    expect(await scene.terminal.screen()).not.toContain('Do you want to proceed?')
    expect(existsSync(join(scene.at.cwd, 'made'))).toBe(true)
    expect(await scene.resolved(request.id)).toMatchObject({ by: 'person', who: 'admin', decision: 'allow' })
    await agree(scene)
  })

  test('with another input than was asked for', async () => {
    const scene = await start()
    await scene.say('run it')
    const { id } = await scene.held()

    await answer(scene, id, { decision: 'allow', updatedInput: { command: 'mkdir other' } })

    await scene.terminal.shows('All is said.')
    expect(['made', 'other'].map((name) => existsSync(join(scene.at.cwd, name)))).toEqual([false, true])
    await agree(scene)
  })

  test('a permission is denied from elsewhere, with a message that reaches the model', async () => {
    const scene = await start()
    await scene.say('run it')
    const { id } = await scene.held()

    await answer(scene, id, { decision: 'deny', message: 'Not on a Friday.' })

    await scene.terminal.shows('All is said.')
    expect(existsSync(join(scene.at.cwd, 'made'))).toBe(false)
    expect(scene.at.asked()).toContain('Not on a Friday.')
    expect(await scene.resolved(id)).toMatchObject({ by: 'person', decision: 'deny' })
    await agree(scene)
  })

  test('a question is answered from elsewhere', async () => {
    const scene = await start()
    await scene.say('ask me')
    const request = await scene.held()
    expect(request).toMatchObject({ kind: 'question', questions: [{ question: 'Which colour?' }] })
    await scene.terminal.shows('like a rose')

    await answer(scene, request.id, { answers: { 'Which colour?': 'Blue' } })

    await scene.terminal.shows('All is said.')
    expect(await scene.terminal.screen()).toContain('Blue')
    expect(scene.at.asked()).toMatch(/Which colour\?.{1,20}Blue/)
    expect(await scene.resolved(request.id)).toMatchObject({
      by: 'person',
      answers: { 'Which colour?': 'Blue' },
    })
    await agree(scene)
  })

  test('a plan is approved from elsewhere', async () => {
    const scene = await start({ mode: 'plan' })
    await scene.say('hello')
    await scene.terminal.shows('Hello.')
    // The CLI names the file that the plan belongs in, and hands its text on with the call.
    const file = /create your plan at ([^\s"]+\.md)/.exec(scene.at.asked())?.[1] ?? ''
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '# The plan\n\n1. Do it.')
    await scene.say('plan it')
    const request = await scene.held()
    expect(request).toMatchObject({
      kind: 'permission',
      toolName: 'ExitPlanMode',
      plan: '# The plan\n\n1. Do it.',
    })
    await scene.terminal.shows('Do it.')
    expect((await scene.at.signalbox('inbox')).stdout).toContain('1. Do it.')

    await answer(scene, request.id, { decision: 'allow' })

    await scene.terminal.shows('All is said.')
    expect(await scene.resolved(request.id)).toMatchObject({ by: 'person', decision: 'allow' })
    await agree(scene)
  })

  test('what is answered in the terminal is settled there, and the hook is released', async () => {
    const scene = await start()
    await scene.say('run it')
    const { id } = await scene.held()

    await scene.terminal.answer('Enter', 'Do you want to proceed?')

    expect(await scene.resolved(id)).toMatchObject({
      by: 'terminal',
      decision: 'allow',
      reason: 'Answered in the terminal.',
    })
    await scene.terminal.shows('All is said.')
    expect(existsSync(join(scene.at.cwd, 'made'))).toBe(true)
    await expect(answer(scene, id, { decision: 'deny' })).rejects.toMatchObject({
      code: 'request_already_resolved',
    })
    await agree(scene)
  })

  test('a dialog that is left with Esc is a refusal', async () => {
    const scene = await start()
    await scene.say('run it')
    const request = await scene.held()

    await scene.terminal.answer('Escape', 'Do you want to proceed?')

    expect(await scene.resolved(request.id)).toMatchObject({ by: 'terminal', decision: 'deny' })
    const session = await sessionWhen(scene.daemon.client, request.sessionId, ({ state }) => state === 'idle')
    expect(session.turns).toBe(1)
    expect(existsSync(join(scene.at.cwd, 'made'))).toBe(false)
    await agree(scene)
  })

  test('of two requests, one is answered there and the next from elsewhere', async () => {
    const scene = await start()
    await scene.say('run two')
    const one = await scene.held()
    expect(one.input).toMatchObject({ command: 'mkdir one' })

    await scene.terminal.answer('Enter', 'mkdir one')
    expect(await scene.resolved(one.id)).toMatchObject({ by: 'terminal', decision: 'allow' })
    const two = await scene.held()
    expect(two.input).toMatchObject({ command: 'mkdir two' })
    await answer(scene, two.id, { decision: 'deny', message: 'Only one.' })

    expect(await scene.resolved(two.id)).toMatchObject({ by: 'person', decision: 'deny' })
    await scene.terminal.shows('All is said.')
    expect(['one', 'two'].map((name) => existsSync(join(scene.at.cwd, name)))).toEqual([true, false])
    await agree(scene)
  })

  test('a daemon that stops in the middle leaves the terminal as if it had never been there', async () => {
    const scene = await start()
    await scene.say('run it')
    const { id } = await scene.held()
    await scene.terminal.shows('Do you want to proceed?')

    await scene.daemon.stop()

    await expect.poll(() => scene.at.hooks(), { timeout: 5_000, interval: 20 }).toBe(0)
    expect(await scene.terminal.screen()).toContain('Do you want to proceed?')

    // It is back: the request still waits, but only the terminal can answer it.
    const daemon = await startDaemonProcess(scene.at.place)
    const again = { ...scene, daemon }
    await expect(answer(again, id, { decision: 'allow' })).rejects.toMatchObject({ code: 'request_not_held' })
    await scene.terminal.answer('Enter', 'Do you want to proceed?')
    await scene.terminal.shows('All is said.')
    const settled = async () => (await daemon.client.getRequest({ params: { id } })).request.resolution
    await expect.poll(settled, { timeout: 20_000 }).toMatchObject({ by: 'terminal', decision: 'allow' })
    await agree(again)
  })

  test('a session that is killed ends, with what it had asked', async () => {
    const scene = await start()
    await scene.say('run it')
    const request = await scene.held()
    const { sessions } = await scene.daemon.client.listTerminalSessions({ query: {} })

    process.kill(sessions[0]?.pid ?? 0, 'SIGKILL')

    expect(await scene.resolved(request.id)).toMatchObject({ by: 'terminal', decision: 'deny' })
    const session = await sessionWhen(
      scene.daemon.client,
      request.sessionId,
      ({ state }) => state === 'ended',
    )
    expect(session.reason).toBe('The process ended unexpectedly.')
    expect(problemsOf(await allEvents(scene.daemon.client, session.id))).toEqual([])
    await agree(scene)
  })

  test('without remote answers nothing is held, and the request is seen all the same', async () => {
    const scene = await start({ install: ['--no-remote'] })
    await scene.say('run it')
    await scene.terminal.shows('Do you want to proceed?')
    const pending = async () =>
      (await scene.daemon.client.listRequests({ query: { state: 'pending' } })).requests
    await expect.poll(async () => (await pending()).length, { timeout: 20_000 }).toBe(1)
    const [request] = await pending()
    const id = request?.id ?? ''

    expect(scene.at.hooks()).toBe(0)
    expect((await scene.at.signalbox('inbox')).stdout).toContain('Can be answered only in its terminal.')
    await expect(answer(scene, id, { decision: 'allow' })).rejects.toMatchObject({ code: 'request_not_held' })
    await scene.terminal.answer('Enter', 'Do you want to proceed?')
    expect(await scene.resolved(id)).toMatchObject({ by: 'terminal' })
    await scene.terminal.shows('All is said.')
    await agree(scene)
  })
})
