/** Names of files and folders, models, commands and saved prompts: who gets which. */

import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aPerson, ids } from '../../test/support/build.js'
import { createServedRuntime } from '../../test/support/served-runtime.js'
import { type Client, createClient } from '../client/client.js'
import { commandsKey, MODELS_KEY } from '../protocol/compose/offer-key.js'
import { HubError } from '../protocol/error.js'
import { Role } from '../protocol/role.js'

async function setup() {
  const runtime = await createServedRuntime()
  const { folder, cwd, url, access } = runtime
  const clients = {} as Record<Role, Client>
  for (const role of Role.options) {
    const { secret } = await access.createToken({ name: `the ${role}`, role })
    clients[role] = createClient({ url, token: secret })
  }
  for (const path of ['project/src', 'other/deep', 'trusted/lib', 'project/.ssh']) {
    await mkdir(join(folder, path), { recursive: true })
    await writeFile(join(folder, path, 'file.ts'), '')
  }
  await runtime.createSession()
  await runtime.hub.trust(join(folder, 'trusted'), aPerson)
  return { ...runtime, ...clients, at: (path: string) => join(folder, path), cwd }
}

/** `ok`, or the code of the error. */
async function outcome(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'ok',
    (error: unknown) => (error instanceof HubError ? error.code : String(error)),
  )
}

describe('names of files and folders', () => {
  const PLACES: readonly [string, string, string][] = [
    // Place, for an operator, for an admin.
    ['project', 'ok', 'ok'],
    ['project/src', 'ok', 'ok'],
    ['project/src/../src', 'ok', 'ok'],
    ['trusted', 'ok', 'ok'],
    ['trusted/lib', 'ok', 'ok'],
    ['project/..', 'role_insufficient', 'ok'],
    ['project/../other', 'role_insufficient', 'ok'],
    ['projection', 'role_insufficient', 'workspace_not_found'],
    ['other', 'role_insufficient', 'ok'],
    ['missing', 'role_insufficient', 'workspace_not_found'],
    ['project/missing', 'role_insufficient', 'workspace_not_found'],
    ['project/src/file.ts', 'role_insufficient', 'workspace_not_found'],
    ['project/to-other', 'role_insufficient', 'ok'],
    ['project/to-other/deep', 'role_insufficient', 'ok'],
    ['project/to-trusted', 'ok', 'ok'],
    ['project/.ssh', 'workspace_not_allowed', 'workspace_not_allowed'],
    ['home', 'role_insufficient', 'workspace_not_allowed'],
    ['project/to-home', 'role_insufficient', 'workspace_not_allowed'],
  ]

  test('are for operators below used and trusted workspaces, elsewhere for admins, and never for viewers', async () => {
    const { viewer, operator, admin, at, folder } = await setup()
    for (const [name, target] of [
      ['to-other', '../other'],
      ['to-trusted', '../trusted'],
      ['to-home', '../home'],
    ] as const)
      await symlink(target, at(`project/${name}`))

    const seen: unknown[] = []
    for (const [place] of PLACES) {
      // As written: `join` would resolve the dots.
      const path = `${folder}/${place}`
      for (const client of [operator, admin]) {
        const files = await outcome(client.searchFiles({ query: { folder: path } }))
        expect(await outcome(client.listFolders({ query: { path } }))).toBe(files)
        seen.push(files)
      }
      expect(await outcome(viewer.searchFiles({ query: { folder: path } }))).toBe('role_insufficient')
      expect(await outcome(viewer.listFolders({ query: { path } }))).toBe('role_insufficient')
    }
    expect(seen).toEqual(PLACES.flatMap(([, forOperator, forAdmin]) => [forOperator, forAdmin]))
  })

  test('a path that is relative, of bytes or too long is refused', async () => {
    const { operator, admin } = await setup()
    for (const path of ['project', '~', './', '/tmp\0/x', `/${'a/'.repeat(3_000)}`]) {
      expect(['role_insufficient', 'request_invalid']).toContain(
        await outcome(operator.listFolders({ query: { path } })),
      )
      expect(['workspace_not_found', 'request_invalid']).toContain(
        await outcome(admin.searchFiles({ query: { folder: path } })),
      )
    }
  })

  test('a missing folder and one that is not for the user get the same answer', async () => {
    const { operator, at } = await setup()
    const bodies = await Promise.all(
      ['other', 'missing', 'home'].map((name) =>
        operator.listFolders({ query: { path: at(name) } }).catch((error: HubError) => error.toBody()),
      ),
    )
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1)
  })

  test('the folder above is named only to those who may list it, and so are links that lead elsewhere', async () => {
    const { operator, admin, at, cwd, folder } = await setup()
    await symlink('../other', at('project/to-other'))
    await symlink('../trusted', at('project/to-trusted'))
    const names = ({ folders }: { folders: { name: string }[] }) => folders.map(({ name }) => name)

    const forOperator = await operator.listFolders({ query: { path: cwd } })
    expect([forOperator.parent, names(forOperator)]).toEqual([null, ['src', 'to-trusted']])
    expect((await operator.listFolders({ query: { path: at('project/src') } })).parent).toBe(cwd)
    const forAdmin = await admin.listFolders({ query: { path: cwd } })
    expect([forAdmin.parent, names(forAdmin)]).toEqual([folder, ['src', 'to-other', 'to-trusted']])
    expect((await admin.listFolders({ query: { path: '/' } })).parent).toBeNull()
  })

  test('a folder of a terminal session, and one whose session was deleted, are not used', async () => {
    const { operator, hub, journal, at } = await setup()
    const observed = ids.next('ses')
    const { events } = await operator.listEvents({
      params: { id: (await operator.listSessions({ query: {} })).sessions[0]?.id ?? '' },
    })
    const [created] = events
    if (created?.type !== 'session.created') throw new Error('unreachable')
    await journal.append(observed, [
      { type: 'session.created', data: { ...created.data, kind: 'observed', cwd: at('other') } },
    ])
    expect(await outcome(operator.listFolders({ query: { path: at('other') } }))).toBe('role_insufficient')

    const { id } = await hub.createSession({ cwd: at('other') }, aPerson)
    expect(await outcome(operator.listFolders({ query: { path: at('other/deep') } }))).toBe('ok')
    await hub.deleteSession(id, aPerson)
    expect(await outcome(operator.listFolders({ query: { path: at('other') } }))).toBe('role_insufficient')
    await hub.distrust(at('trusted'), aPerson)
    expect(await outcome(operator.listFolders({ query: { path: at('trusted') } }))).toBe('role_insufficient')
  })

  test('recent folders are those of sessions, the last used first, then those that are trusted', async () => {
    const { operator, viewer, hub, at, cwd } = await setup()
    await hub.createSession({ cwd: at('other') }, aPerson)
    await hub.createSession({ cwd }, aPerson)

    const { folders } = await operator.listRecentFolders({ query: {} })
    expect(folders.map(({ path, isTrusted }) => [path, isTrusted])).toEqual([
      [cwd, false],
      [at('other'), false],
      [at('trusted'), true],
    ])
    expect(folders.map(({ usedAt }) => usedAt !== null)).toEqual([true, true, false])
    expect(await outcome(viewer.listRecentFolders({ query: {} }))).toBe('role_insufficient')
  })
})

describe('saved prompts', () => {
  const save = (client: Client, name: string, text = 'Review it.') =>
    client.savePrompt({ params: { name }, body: { text } })

  test('are saved, replaced, listed by name and deleted', async () => {
    const { operator, admin } = await setup()
    await save(operator, 'review')
    await save(operator, '검토', '마지막 커밋을 검토해 줘')
    const { prompt } = await save(operator, 'review', 'Review it again.')
    expect(prompt).toMatchObject({ name: 'review', text: 'Review it again.', savedBy: 'the operator' })

    const { prompts } = await admin.listPrompts()
    expect(prompts.map(({ name, text }) => [name, text])).toEqual([
      ['review', 'Review it again.'],
      ['검토', '마지막 커밋을 검토해 줘'],
    ])
    await admin.deletePrompt({ params: { name: '검토'.normalize('NFD') } })
    expect((await operator.listPrompts()).prompts).toHaveLength(1)
    expect(await outcome(operator.deletePrompt({ params: { name: 'other' } }))).toBe('prompt_not_found')
  })

  test('of an admin are changed by admins only, and viewers get none', async () => {
    const { viewer, operator, admin } = await setup()
    await save(admin, 'release')
    expect(await outcome(save(operator, 'release', 'Do something else.'))).toBe('role_insufficient')
    expect(await outcome(operator.deletePrompt({ params: { name: 'release' } }))).toBe('role_insufficient')
    expect((await operator.listPrompts()).prompts).toMatchObject([{ text: 'Review it.', role: 'admin' }])
    await save(operator, 'mine')
    await save(admin, 'mine', 'Now of an admin.')
    expect(await outcome(save(operator, 'mine'))).toBe('role_insufficient')
    const ofViewer = [
      viewer.listPrompts(),
      save(viewer, 'own'),
      viewer.deletePrompt({ params: { name: 'x' } }),
    ].map(outcome)
    expect(new Set(await Promise.all(ofViewer))).toEqual(new Set(['role_insufficient']))
  })

  test('have names that can be shown, typed and addressed', async () => {
    const { operator } = await setup()
    const odd = [
      'a/b',
      '..',
      'a b',
      '<img>',
      'a\u001b[2J',
      'a\u202eb',
      'a'.repeat(61),
      '',
      '-a',
      '\ud83d\ude00',
    ]
    for (const name of odd) {
      const refusals = ['request_invalid', 'route_not_found', 'method_not_allowed']
      expect(refusals, name).toContain(await outcome(save(operator, name)))
    }
    expect((await operator.listPrompts()).prompts).toEqual([])
  })

  test('a text that is empty or too long is refused, and so is one prompt too many', async () => {
    const { operator, store } = await setup()
    expect(await outcome(save(operator, 'a', ''))).toBe('request_invalid')
    expect(await outcome(save(operator, 'a', 'x'.repeat(100_001)))).toBe('request_invalid')
    for (let count = 0; count < 500; count += 1)
      await store.changePrompt(`p${count}`, () => ({
        name: `p${count}`,
        text: 'x',
        savedAt: '2026-11-15T12:00:00.000Z',
        savedBy: 'kim',
        role: 'operator',
      }))
    expect(await outcome(save(operator, 'one-more'))).toBe('request_invalid')
    expect(await outcome(save(operator, 'p1', 'replaced'))).toBe('ok')
  })
})

describe('what the CLI offers', () => {
  test('is listed for operators as a process has reported it; damaged records count as none', async () => {
    const { operator, viewer, store, cwd, at } = await setup()
    const seenAt = '2026-11-15T12:00:00.000Z'
    const models = [{ value: 'opus', resolved: null, name: 'Opus', description: 'Best', efforts: ['low'] }]
    const commands = [{ name: 'deploy', description: 'Deploys it', argumentHint: '', kind: 'command' }]
    expect(await operator.listModels()).toEqual({ models: [], seenAt: null })
    await store.setState(MODELS_KEY, JSON.stringify({ models, seenAt }))
    await store.setState(commandsKey(cwd), JSON.stringify({ commands, seenAt }))

    expect(await operator.listModels()).toEqual({ models, seenAt })
    expect(await operator.listCommands({ query: { folder: cwd } })).toEqual({ commands })
    expect(await outcome(operator.listCommands({ query: { folder: at('other') } }))).toBe('role_insufficient')
    expect(await outcome(operator.listCommands({ query: {} }))).toBe('request_invalid')
    expect(await outcome(viewer.listModels())).toBe('role_insufficient')
    expect(await outcome(viewer.listCommands({ query: { folder: cwd } }))).toBe('role_insufficient')
    await store.setState(MODELS_KEY, '{"models":')
    await store.setState(commandsKey(cwd), '[]')
    expect(await operator.listModels()).toEqual({ models: [], seenAt: null })
    expect(await operator.listCommands({ query: { folder: cwd } })).toEqual({ commands: [] })
  })
})
