/** Saved prompts and completion on the command line. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { MAIN, makePlace, startDaemonProcess } from '../support/daemon-process.js'

test('prompts are saved, listed, sent with run and deleted, and the shell is offered models, efforts and prompts', async () => {
  const at = await makePlace(() => ({ rules: [{ reply: [{ text: 'You said: {{user}}' }] }] }))
  const { client, stop } = await startDaemonProcess(at)
  const signalbox = async (args: string[], input = '') => {
    const child = spawn(process.execPath, [MAIN, ...args, '--home', at.home], { env: at.env, cwd: at.cwd })
    child.stdin.end(input)
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    return { code: child.exitCode, stdout, stderr }
  }

  expect(await signalbox(['prompts'])).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/No saved prompts/),
  })
  expect(await signalbox(['prompts', 'save', 'review', 'Review', 'the', 'last', 'commit'])).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/Saved review\. Send it with ".+ run --prompt review --home /),
  })
  expect(await signalbox(['prompts', 'save', '검토'], '마지막 커밋을\n검토해 줘\n')).toMatchObject({
    code: 0,
  })
  const { stdout: listed } = await signalbox(['prompts', 'list'])
  expect(listed).toMatch(/review +\S+ \S+ +admin +Review the last commit/)
  expect(listed).toMatch(/검토 .+마지막 커밋을 검토해 줘/)
  expect((await signalbox(['prompts', 'show', 'rev'])).stdout).toBe('Review the last commit\n')
  expect(await signalbox(['prompts', 'save', 'a b', 'x'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/Invalid name "a b"\. Use at most 60 letters/),
  })
  expect(await signalbox(['run', '--prompt', 'none'])).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/No saved prompt none/),
  })
  expect(await signalbox(['run', '--effort', 'huge', 'x'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/Unknown --effort/),
  })

  const ran = await signalbox(['run', '--prompt', 'review', '--effort', 'low', 'in', 'src/'])
  expect(ran).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/You said: Review the last commit\n\nin src\//),
  })
  const [session] = (await client.listSessions({ query: {} })).sessions
  expect(session?.options.effort).toBe('low')

  const offered = async (...args: string[]) =>
    (await signalbox(['complete', ...args])).stdout.split('\n').map((line) => line.split('\t')[0])
  await expect.poll(async () => (await client.listModels()).models).not.toEqual([])
  expect(await offered('model')).toEqual(expect.arrayContaining(['opus', 'sonnet', 'haiku']))
  expect(await offered('effort')).toEqual(['low', 'medium', 'high', 'xhigh', 'max', ''])
  expect(await offered('prompt')).toEqual(['review', '검토', ''])
  const { stdout: gone } = await signalbox(['prompts', 'delete', 'review', '--json'])
  expect(JSON.parse(gone)).toMatchObject({ prompt: { name: 'review' } })
  expect(await signalbox(['prompts', 'delete', 'review'])).toMatchObject({ code: 3 })
  expect(await stop()).toBe(0)
  // Without a daemon.
  expect(await offered('effort')).toContain('high')
  expect(await offered('prompt')).toEqual([''])
})
