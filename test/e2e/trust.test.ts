/**
 * Files that the real CLI loads from folders above a trusted workspace, and the end of its processes when
 * trust is revoked.
 */

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { aPerson } from '../support/build.js'
import { createRealRuntime, makeFolders, type RealRuntime } from '../support/real-runtime.js'

const PARENT = 'canary-of-the-parent'
const OWN = 'canary-of-the-workspace'

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

const skill = (name: string, description: string, ran: string) => `---
name: ${name}
description: ${description}
hooks:
  PreToolUse:
    - matcher: "*"
      hooks:
        - type: command
          command: "touch ${ran}"
---
Do it.
`

/** A workspace with settings of its own, in a folder with its own as well. */
async function setup() {
  const base = await makeFolders()
  const parent = join(base.folder, 'shared (x) [y]')
  const cwd = join(parent, 'project')
  const ran = { parent: join(base.folder, 'parent-ran'), own: join(base.folder, 'own-ran') }
  await put(join(cwd, 'CLAUDE.md'), `${OWN} memory\n`)
  await put(join(cwd, '.claude/skills/own/SKILL.md'), skill('own', `${OWN} skill`, ran.own))
  const settings = {
    hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: `touch '${ran.own}-prompt'` }] }] },
  }
  await put(join(cwd, '.claude/settings.json'), JSON.stringify(settings))
  const addParent = async () => {
    await put(join(parent, 'CLAUDE.md'), `${PARENT} memory\n`)
    await put(join(parent, 'CLAUDE.local.md'), `${PARENT} local memory\n`)
    await put(join(parent, '.claude/CLAUDE.md'), `${PARENT} inner memory\n`)
    await put(join(parent, '.claude/rules/always.md'), `${PARENT} rule\n`)
    await put(join(parent, '.claude/skills/theirs/SKILL.md'), skill('theirs', `${PARENT} skill`, ran.parent))
    await put(
      join(parent, '.claude/commands/their-command.md'),
      `---\ndescription: ${PARENT} command\n---\nx\n`,
    )
    await put(
      join(parent, '.claude/agents/their-agent.md'),
      `---\nname: their-agent\ndescription: ${PARENT} agent\n---\nx\n`,
    )
  }
  const folders = { ...base, cwd }
  const runtime = await createRealRuntime(folders, {
    rules: [
      { when: { user: 'use theirs' }, times: 1, reply: [{ tool: 'Skill', input: { skill: 'theirs' } }] },
      { when: { toolResult: 'Skill' }, times: 1, reply: [{ tool: 'Bash', input: { command: 'ls' } }] },
      { reply: [{ text: 'Done.' }] },
    ],
  })
  return { ...folders, parent, ran, runtime, addParent }
}

/** Which of these the model was sent: what it was sent is too long to be shown. */
const foundIn = (told: string, ...texts: string[]) => texts.filter((text) => told.includes(text))

async function turn(runtime: RealRuntime, id: string, text: string): Promise<string> {
  const before = runtime.model.requests.length
  const { turns } = await runtime.hub.session(id)
  await runtime.hub.send(id, { text }, aPerson)
  await runtime.sessionWhen(id, (session) => session.turns > turns && session.turn === null)
  return JSON.stringify(runtime.model.requests.slice(before).map(({ body }) => body))
}

test('nothing of a folder above that is not trusted is loaded, and the session says why its own settings are not', async () => {
  const { runtime, cwd, parent, ran, addParent } = await setup()
  await addParent()
  await runtime.hub.trust(cwd, aPerson)
  const { id } = await runtime.hub.createSession({ cwd }, aPerson)

  const told = [await turn(runtime, id, 'hello'), await turn(runtime, id, 'use theirs')].join()

  expect(foundIn(told, PARENT)).toEqual([])
  expect(existsSync(ran.parent)).toBe(false)
  const errors = (await runtime.events(id)).filter((event) => event.type === 'error.raised')
  expect(errors[0]?.data).toMatchObject({
    code: 'parent_not_trusted',
    message: expect.stringContaining(`${parent}/.claude`),
  })

  await runtime.hub.trust(parent, aPerson)
  const all = await runtime.hub.createSession({ cwd }, aPerson)
  const both = await turn(runtime, all.id, 'hello')
  const texts = [`${PARENT} skill`, `${PARENT} memory`, `${OWN} skill`, `${OWN} memory`]
  expect(foundIn(both, ...texts)).toEqual(texts)
})

test('in a git repository of its own the workspace keeps its settings, and memory from above stays out', async () => {
  const { runtime, cwd, addParent } = await setup()
  await addParent()
  execFileSync('git', ['init', '-q', cwd])
  await runtime.hub.trust(cwd, aPerson)
  const { id } = await runtime.hub.createSession({ cwd }, aPerson)

  const told = await turn(runtime, id, 'hello')

  expect(foundIn(told, `${OWN} skill`, `${OWN} memory`, PARENT)).toEqual([`${OWN} skill`, `${OWN} memory`])
})

test('a folder above that gets settings later ends the process before the next message', async () => {
  const { runtime, cwd, addParent } = await setup()
  await runtime.hub.trust(cwd, aPerson)
  const { id } = await runtime.hub.createSession({ cwd }, aPerson)
  expect(foundIn(await turn(runtime, id, 'hello'), `${OWN} skill`)).toEqual([`${OWN} skill`])
  await addParent()

  expect(foundIn(await turn(runtime, id, 'again'), PARENT)).toEqual([])
})

test('after distrust no hook of the folder runs in a session that was there before', async () => {
  const { runtime, cwd, ran } = await setup()
  await runtime.hub.trust(cwd, aPerson)
  const { id } = await runtime.hub.createSession({ cwd }, aPerson)
  await turn(runtime, id, 'hello')
  expect(existsSync(`${ran.own}-prompt`)).toBe(true)
  await rm(`${ran.own}-prompt`)

  await runtime.hub.distrust(cwd, aPerson)
  await turn(runtime, id, 'again')

  expect(existsSync(`${ran.own}-prompt`)).toBe(false)
  const started = (await runtime.events(id)).flatMap((event) =>
    event.type === 'session.started' ? [event.data] : [],
  )
  expect(started.map(({ skills }) => skills.includes('own'))).toEqual([true, false])
  const notices = (await runtime.events(id)).filter((event) => event.type === 'notice.raised')
  expect(notices.map(({ data }) => data)).toContainEqual(expect.objectContaining({ topic: 'trust' }))
})
