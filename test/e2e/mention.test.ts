/**
 * The texts that the real CLI treats as the mention of a file, compared with ours: every file that it reads
 * without a tool call must be among our readings, since only those are evaluated.
 */

import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { mentionsIn } from '../../src/lib/text/mention.js'
import { aPerson } from '../support/build.js'
import { createRealRuntime, makeFolders, type RealRuntime } from '../support/real-runtime.js'

/** Characters before and after a path. */
const BEHIND = [
  '',
  ' ',
  '\t',
  '\u00a0',
  '\u3000',
  '\u2028',
  '\u200b',
  '\ufeff',
  '\u0001',
  '\u00ad',
  ...'*?;!)]}|=+&\'"`<>.,:/~$^%@#\\-_(['.split(''),
  ...'、。，…“”’）」】！？；：を는の'.split(''),
  '..',
  '//',
  '/.',
  '**',
  '…x',
  '。x',
  '|x',
  '=x',
  ',x',
  ')x',
  ':1',
  ':x',
  '#L1',
  '#L1-2',
  '#a#b',
  '#',
  '를 x',
  '\\ x',
  "'s",
  '"x',
  '`x',
  'é',
  'ß',
  '٣',
  '😀',
  '￼',
]
const BEFORE = [
  '',
  '(',
  '[',
  '"',
  "'",
  '`',
  '<',
  '{',
  '*',
  '_',
  ',',
  ';',
  ':',
  '.',
  '-',
  '/',
  'x',
  '=',
  '#',
  '!',
  '@',
  '\\',
  '。',
  '、',
  '！',
  '？',
  '：',
  '“',
  '「',
  '\u200b',
  '\u00a0',
  '\u3000',
  '>',
  '|',
  '~',
  'é',
  '한',
]
const WRAPPED: readonly ((path: string) => string)[] = [
  (path) => `@"${path}"`,
  (path) => `@'${path}'`,
  (path) => `@"${path}" x`,
  (path) => `@"${path}`,
  (path) => `@" ${path} "`,
  (path) => `@"${path}#L1"`,
  (path) => `x@"${path}"`,
  (path) => `@[${path}](${path})`,
  (path) => `@<${path}>`,
  (path) => `@./${path}`,
  (path) => `@.//${path}`,
  (path) => `@sub/../${path}`,
  (path) => `@file://${path}`,
  (path) => `@ ${path}`,
  (path) => `@\\${path}`,
  (path) => `@%2e/${path}`,
  (path) => `@{${path},x}`,
  (path) => path.replace('file', '@file').replace(/^/, 'a '),
]

const WORDS: readonly ((path: string) => string)[] = [
  ...BEHIND.map((sign) => (path: string) => `@${path}${sign}`),
  ...BEFORE.map((sign) => (path: string) => `${sign}@${path}`),
  ...WRAPPED,
]

const nameOf = (index: number) => `file${index}.txt`
const canaryOf = (index: number) => `canary-${index}-end`

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

async function setup() {
  const folders = await makeFolders()
  await mkdir(join(folders.cwd, 'sub'))
  await Promise.all(WORDS.map((_, index) => put(join(folders.cwd, nameOf(index)), canaryOf(index))))
  return folders
}

/** One turn of a session; resolves with all that the model was sent in it. */
async function turn(runtime: RealRuntime, sessionId: string, text: string): Promise<string> {
  const before = runtime.model.requests.length
  const { turns } = await runtime.hub.session(sessionId)
  await runtime.hub.send(sessionId, { text }, aPerson)
  await runtime.sessionWhen(
    sessionId,
    (session) => (session.turns > turns && session.turn === null) || session.pendingRequests.length > 0,
  )
  return JSON.stringify(runtime.model.requests.slice(before).map(({ body }) => body))
}

test('every file that the CLI attaches to a message is among our readings of it', async () => {
  const folders = await setup()
  const runtime = await createRealRuntime(folders, { rules: [{ reply: [{ text: 'Done.' }] }] })
  const { id } = await runtime.hub.createSession({ cwd: folders.cwd }, aPerson)
  const attached: number[] = []
  const missed: string[] = []
  for (const [index, word] of WORDS.entries()) {
    const text = `see ${word(nameOf(index))}`
    const { paths, isUnclear } = mentionsIn(text)
    // An ambiguous mention goes to the CLI unchanged, and is not checked here.
    const isRead = (await turn(runtime, id, text)).includes(canaryOf(index))
    if (isRead) attached.push(index)
    const isKnown = paths.some((path) => join(folders.cwd, path) === join(folders.cwd, nameOf(index)))
    if (isRead && (isUnclear || !isKnown)) missed.push(text)
  }
  expect(missed).toEqual([])
  expect(attached.length).toBeGreaterThan(40)
}, 300_000)

const PROTECTED = 'canary-of-the-protected-file'

test('no spelling of a mention brings a protected or linked file along, in a message or in arguments of a skill', async () => {
  const folders = await makeFolders()
  const { cwd, folder } = folders
  await put(join(cwd, '.env'), `KEY=${PROTECTED}\n`)
  await put(join(folder, 'outside.txt'), PROTECTED)
  await symlink(join(folder, 'outside.txt'), join(cwd, 'link.txt'))
  await put(
    join(cwd, '.claude/skills/own/SKILL.md'),
    '---\nname: own\ndescription: own\n---\nDo it: $ARGUMENTS\n',
  )
  const texts = [
    ...WORDS.map((word) => word('.env')),
    ...['', '|', '。', '=', '를', '"'].map((sign) => `@link.txt${sign}`),
  ]
  const runtime = await createRealRuntime(folders, {
    rules: [
      ...texts.map((args, index) => ({
        when: { user: `/skill ${index} now/` },
        times: 1,
        reply: [{ tool: 'Skill', input: { skill: 'own', args } }],
      })),
      { reply: [{ text: 'Done.' }] },
    ],
  })
  const { id } = await runtime.hub.createSession({ cwd }, aPerson)
  const leaks: string[] = []
  for (const text of texts) if ((await turn(runtime, id, `see ${text}`)).includes(PROTECTED)) leaks.push(text)
  await runtime.hub.trust(cwd, aPerson)
  const trusted = await runtime.hub.createSession({ cwd }, aPerson)
  for (const [index, text] of texts.entries()) {
    if (index >= BEHIND.length && index < WORDS.length) continue
    const told = await turn(runtime, trusted.id, `skill ${index} now`)
    if (told.includes(PROTECTED)) leaks.push(`Skill ${text}`)
    const { pendingRequests } = await runtime.hub.session(trusted.id)
    for (const requestId of pendingRequests)
      await runtime.hub.inbox.answer(requestId, { decision: 'deny' }, aPerson)
    await runtime.sessionWhen(trusted.id, ({ turn: current }) => current === null)
  }
  expect(leaks).toEqual([])
}, 600_000)
