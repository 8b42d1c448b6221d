/** Tools and hooks as users set them up and inspect them: settings in the home, commands in a terminal. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import {
  expectOrderly,
  MAIN,
  makePlace,
  type Place,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'

async function signalbox({ env, cwd, home }: Place, ...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args, '--home', home], { env, cwd, stdio: 'pipe' })
  child.stdin.end()
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, stdout, stderr }
}

test('tools and hooks of config.jsonc act in sessions; the tools are listed, and the life of each call is shown', async () => {
  const place = await makePlace((cwd) => ({
    rules: [
      {
        when: { user: 'go' },
        times: 1,
        reply: [
          { tool: 'mcp__signalbox__greet', input: { who: 'kim' } },
          { tool: 'Write', input: { file_path: join(cwd, 'important.txt'), content: 'x' } },
        ],
      },
      { reply: [{ text: 'Done: {{toolResult}}' }] },
    ],
  }))
  await mkdir(place.home, { recursive: true })
  await writeFile(
    join(place.home, 'my-tools.js'),
    `export default ({ z }) => ({ name: 'greet', description: 'Greets somebody', input: z.object({ who: z.string() }),
       run: ({ who }) => 'Hello ' + who })`,
  )
  await writeFile(
    join(place.home, 'config.jsonc'),
    `{
       "tools": ["./my-tools.js"],
       // Blocks all edits of files.
       "hooks": { "PreToolUse": [
         { "matcher": "Write|Edit", "hooks": [{ "type": "command", "command": "exit 2" }] },
       ] },
     }`,
  )
  const daemon = await startDaemonProcess(place)
  const { session } = await daemon.client.createSession({
    body: { cwd: place.cwd, prompt: 'go', permissionMode: 'bypassPermissions' },
  })
  await sessionWhen(daemon.client, session.id, ({ turns }) => turns === 1)

  const listed = await signalbox(place, 'tools')
  expect(listed.stdout).toContain(`greet\n    Greets somebody\n    ${join(place.home, 'my-tools.js')}\n`)
  expect(listed.stdout).toContain('agent_caller (not visible to agents)\n')
  expect(JSON.parse((await signalbox(place, 'tools', '--json')).stdout)).toMatchObject({
    tools: expect.arrayContaining([expect.objectContaining({ id: 'greet' })]),
  })

  const shown = (await signalbox(place, 'show', session.id, '--tools')).stdout.trimEnd().split('\n')
  const TIME = String.raw`\d\d:\d\d:\d\d\.\d{3}`
  const MS = String.raw`[\d.]+ m?s`
  expect(shown).toEqual([
    expect.stringMatching(/^at +call +policy +waited +ran +hooks +outcome +by$/),
    expect.stringMatching(
      new RegExp(
        `^${TIME}  mcp__signalbox__greet +${MS} +- +${MS} +- +completed +policy: bypassPermissions mode$`,
      ),
    ),
    expect.stringMatching(
      new RegExp(`^${TIME}  Write: important.txt +${MS} +- +- +${MS} +blocked +hook: exit 2$`),
    ),
    expect.stringMatching(new RegExp(`^${TIME}    hook exit 2 +${MS} +blocked$`)),
  ])
  const { tools } = JSON.parse((await signalbox(place, 'show', session.id, '--tools', '--json')).stdout) as {
    tools: unknown
  }
  expect(tools).toMatchObject([
    { name: 'mcp__signalbox__greet', outcome: 'completed', stages: [{ kind: 'judge' }, { kind: 'run' }] },
    { name: 'Write', outcome: 'blocked', stages: [{ kind: 'judge' }, { kind: 'hook' }] },
  ])
  expect((await signalbox(place, 'show', session.id.slice(0, 20))).stdout).toMatch(
    /^session +ses_\w+\n(?:.*\n)*state +Idle/,
  )
  await expectOrderly(daemon.client)
  await daemon.stop()
})

test('invalid settings keep the daemon from starting, with an error that names the cause', async () => {
  const place = await makePlace(() => ({ rules: [{ reply: [{ text: 'ok' }] }] }))
  await mkdir(place.home, { recursive: true })
  const started = async (config: string) => {
    await writeFile(join(place.home, 'config.jsonc'), config)
    const { code, stderr } = await signalbox(place, 'start', '--port', '0', '--scripted', place.scriptFile)
    return { code, stderr }
  }

  expect(await started('{ "tools": ["./gone.js"] }')).toEqual({
    code: 2,
    stderr: expect.stringContaining('gone.js cannot be loaded: The file does not exist'),
  })
  expect(await started('{ "hooks": { "PreToolUse": [{ "command": "true" }] } }')).toEqual({
    code: 2,
    stderr: expect.stringContaining('PreToolUse'),
  })
})
