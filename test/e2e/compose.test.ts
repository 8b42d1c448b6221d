/** Attached files, and what the real CLI offers for completion. */

import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ContentBlock } from '../../src/protocol/value.js'
import { aPerson } from '../support/build.js'
import { createRealRuntime, makeFolders } from '../support/real-runtime.js'

const text = (content: string): ContentBlock => ({ type: 'text', text: content })
const file = (title: string, data: string): ContentBlock => ({
  type: 'document',
  title,
  source: { type: 'text', media_type: 'text/plain', data },
})
const PDF = Buffer.from('%PDF-1.4\n%%EOF').toString('base64')
const pdf: ContentBlock = {
  type: 'document',
  title: 'plan.pdf',
  source: { type: 'base64', media_type: 'application/pdf', data: PDF },
}

test('attached files reach the model whole; what they mention is not read, what the message mentions is judged', async () => {
  const folders = await makeFolders()
  const { cwd, folder } = folders
  await writeFile(join(cwd, 'named.txt'), 'canary-named')
  await writeFile(join(cwd, 'inside.txt'), 'canary-inside')
  await writeFile(join(folder, 'outside.txt'), 'canary-outside')
  await symlink(join(folder, 'outside.txt'), join(cwd, 'link.txt'))
  const runtime = await createRealRuntime(folders, { rules: [{ reply: [{ text: 'Done.' }] }] })
  const { hub, model } = runtime
  const { id } = await hub.createSession({ cwd }, aPerson)
  const sent = async (content: ContentBlock[]) => {
    const before = model.requests.length
    const { turns } = await hub.session(id)
    await hub.send(id, { content }, aPerson)
    await runtime.sessionWhen(id, (session) => session.turns > turns && session.turn === null)
    return JSON.stringify(model.requests.slice(before).map(({ body }) => body))
  }

  const first = await sent([file('notes.md', 'See @inside.txt, then /compact'), pdf, text('And @named.txt')])
  expect(first).toContain('"title":"notes.md"')
  expect(first).toContain('See @inside.txt, then /compact')
  expect(first).toContain(PDF)
  expect(first).toContain('canary-named')
  expect(first).not.toContain('canary-inside')
  // The policy would ask before this is read, so the agent has to call Read.
  expect(await sent([file('notes.md', 'x'), text('See @link.txt')])).not.toContain('canary-outside')
  expect((await hub.session(id)).lastPrompt).toBe('See @link.txt')
})

test('models, commands and skills are offered with descriptions, also when no process is live any more', async () => {
  const folders = await makeFolders()
  const { cwd } = folders
  await mkdir(join(cwd, '.claude/commands'), { recursive: true })
  await mkdir(join(cwd, '.claude/skills/own'), { recursive: true })
  await writeFile(
    join(cwd, '.claude/commands/deploy.md'),
    '---\ndescription: Deploys it\nargument-hint: <place>\n---\nDeploy $ARGUMENTS\n',
  )
  await writeFile(
    join(cwd, '.claude/skills/own/SKILL.md'),
    '---\nname: own\ndescription: My own skill\n---\nDo it.\n',
  )
  const runtime = await createRealRuntime(folders, { rules: [{ reply: [{ text: 'Done.' }] }] })
  const { hub } = runtime
  await hub.trust(cwd, aPerson)
  const { id } = await hub.createSession({ cwd, prompt: 'hello' }, aPerson)
  await runtime.sessionWhen(id, ({ turns, turn }) => turns > 0 && turn === null)
  await expect.poll(() => hub.compose.commands({ folder: cwd }, 'operator')).not.toEqual([])
  await hub.stop(id, undefined, aPerson)

  const { models } = await hub.compose.models()
  expect(models.every(({ value, name, description }) => value && name && description)).toBe(true)
  expect(models.find(({ efforts }) => efforts.includes('high'))).toBeDefined()
  for (const place of [{ sessionId: id }, { folder: cwd }]) {
    const commands = new Map(
      (await hub.compose.commands(place, 'operator')).map((command) => [command.name, command]),
    )
    expect(commands.get('deploy')).toEqual({
      name: 'deploy',
      description: 'Deploys it (project)',
      argumentHint: '<place>',
      kind: 'command',
    })
    expect(commands.get('own')).toMatchObject({ description: 'My own skill (project)', kind: 'skill' })
    expect(commands.get('compact')?.description).not.toBe('')
    expect([...commands.keys()].filter((name) => name.startsWith('_'))).toEqual([])
  }
})
