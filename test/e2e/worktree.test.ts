/** A session in a git worktree of its own, by the command line and the API. With the real CLI. */

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import {
  allEvents,
  expectOrderly,
  MAIN,
  makePlace,
  type Place,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'

const IDENTITY = {
  GIT_AUTHOR_NAME: 'kim',
  GIT_AUTHOR_EMAIL: 'kim@example.com',
  GIT_COMMITTER_NAME: 'kim',
  GIT_COMMITTER_EMAIL: 'kim@example.com',
}

async function place(): Promise<Place & { git(cwd: string, ...args: string[]): string }> {
  const made = await makePlace(() => ({
    rules: [
      {
        when: { user: 'write' },
        reply: [{ tool: 'Bash', input: { command: 'echo new > b.txt; cat .env' } }],
      },
      { when: { toolResult: '*' }, reply: [{ text: 'Result: {{toolResult}}' }] },
      { reply: [{ text: 'ok' }] },
    ],
  }))
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', args, { cwd, encoding: 'utf8', env: { ...made.env, ...IDENTITY } })
  // The name and address of the user, as git finds them in the home.
  await writeFile(join(made.folder, '.gitconfig'), '[user]\n\tname = kim\n\temail = kim@example.com\n')
  git(made.cwd, 'init', '-q', '-b', 'main')
  await writeFile(join(made.cwd, '.gitignore'), '.env\n')
  await writeFile(join(made.cwd, 'a.txt'), 'one\n')
  await writeFile(join(made.cwd, '.env'), 'KEY=brought-along\n')
  git(made.cwd, 'add', '.')
  git(made.cwd, 'commit', '-qm', 'first')
  execFileSync('mkdir', ['-p', made.home])
  const config = {
    worktrees: {
      bring: [{ path: '.env', how: 'copy' }],
      setup: 'echo prepared > prepared.txt; echo from the setup',
    },
  }
  await writeFile(join(made.home, 'config.jsonc'), JSON.stringify(config))
  return { ...made, git }
}

async function signalbox({ env, home, cwd }: Place, ...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args, '--home', home], { env, cwd, stdio: 'pipe' })
  child.stdin.end()
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, stdout, stderr }
}

test('a session works in its own worktree, prepared by the setup command, and its work is merged', async () => {
  const at = await place()
  const { client, stop } = await startDaemonProcess(at)
  await client.trustWorkspace({ body: { path: at.cwd } })
  const before = at.git(at.cwd, 'rev-parse', 'HEAD')

  const run = await signalbox(at, 'run', '--worktree', '--mode', 'bypassPermissions', 'write', 'something')
  expect(run.stderr).toContain('from the setup')
  expect(run).toMatchObject({ code: 0 })
  const { sessions } = await client.listSessions({})
  const [session] = sessions
  const folder = `${at.cwd}.worktrees/write-something`
  expect(session).toMatchObject({
    cwd: folder,
    branch: 'signalbox/write-something',
    worktree: { repository: at.cwd, base: 'main', setup: 'completed', isRemoved: false },
  })
  expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('new\n')
  expect(existsSync(join(at.cwd, 'b.txt'))).toBe(false)
  const id = session?.id ?? ''
  const types = (await allEvents(client, id)).map(({ type }) => type)
  expect(types.indexOf('setup.ended')).toBeLessThan(types.indexOf('message.delivered'))
  // A worktree has the trust of its repository, as long as that has it.
  const { workspaces } = await client.listWorkspaces({})
  expect(workspaces.map(({ path }) => path).toSorted()).toEqual([at.cwd, folder])

  expect((await signalbox(at, 'worktrees')).stdout).toContain('signalbox/write-something')
  const lost = await signalbox(at, 'worktrees', 'remove', id)
  expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining('would be lost') })
  expect(at.git(at.cwd, 'rev-parse', 'HEAD')).toBe(before)
  expect(await signalbox(at, 'worktrees', 'commit', id, '--message', 'Add b')).toMatchObject({ code: 0 })
  expect(await signalbox(at, 'worktrees', 'merge', id)).toMatchObject({ code: 0 })
  expect(await readFile(join(at.cwd, 'b.txt'), 'utf8')).toBe('new\n')
  expect(await signalbox(at, 'worktrees', 'remove', id)).toMatchObject({ code: 0 })

  expect(existsSync(folder)).toBe(false)
  expect((await client.getSession({ params: { id } })).session.worktree?.isRemoved).toBe(true)
  const after = await client.listWorkspaces({})
  expect(after.workspaces.map(({ path }) => path)).toEqual([at.cwd])
  const { records } = await client.listAudit({ query: { sessionId: id } })
  const kinds = records
    .filter(({ kind }) => kind.startsWith('worktree.'))
    .map(({ kind, subject }) => [kind, subject.split(' ')[0]])
  expect(kinds.toReversed()).toEqual([
    ['worktree.created', 'signalbox/write-something'],
    ['worktree.changed', 'commit'],
    ['worktree.changed', 'merge'],
    ['worktree.changed', 'remove'],
  ])
  await expectOrderly(client)
  expect(await stop()).toBe(0)
})

test('messages wait for the setup command, also for one that the end of the daemon cuts off', async () => {
  const at = await place()
  await writeFile(join(at.home, 'config.jsonc'), JSON.stringify({ worktrees: { setup: 'sleep 300' } }))
  const first = await startDaemonProcess(at)
  await first.client.trustWorkspace({ body: { path: at.cwd } })
  const { session } = await first.client.createSession({
    body: { cwd: at.cwd, prompt: 'hello', worktree: { name: 'slow' } },
  })
  expect(session).toMatchObject({ worktree: { setup: 'running' }, queue: [{ text: 'hello' }] })
  await first.kill()

  const second = await startDaemonProcess(at)
  const after = await sessionWhen(
    second.client,
    session.id,
    ({ turns, turn }) => turns === 1 && turn === null,
  )

  expect(after.worktree?.setup).toBe('interrupted')
  await expectOrderly(second.client)
  expect(await second.stop()).toBe(0)
})
