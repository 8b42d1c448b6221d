/** Ways to lose files with an undo, or to reach files outside the workspace. Each must fail. */

import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aCall, GIT, makeWorkspace } from '../../../test/support/workspace.js'
import { createIdSource } from '../../lib/id.js'
import { Undo } from './undo.js'

const KIM = { who: 'kim', via: 'cli' } as const

async function setup(options: Parameters<typeof makeWorkspace>[1] = {}) {
  const made = await makeWorkspace(undefined, options)
  const { workspace, records } = made
  const undo = new Undo(workspace, { ids: createIdSource(), append: async () => {} })
  const call = async (work: () => void) => {
    const toolUseId = `call${records.length}`
    const from = records.length
    await workspace.changes.before(aCall(toolUseId))
    work()
    await workspace.changes.after({ sessionId: 'ses_1', toolUseId })
    return records.slice(from).map(({ data }) => data)
  }
  const carryOut = (changes: Awaited<ReturnType<typeof call>>) =>
    undo.carryOut({ sessionId: 'ses_1', changes, only: null }, { by: KIM, isRedo: false }, ({ plan }) => {
      if (plan.conflicts.length > 0)
        throw new Error(plan.conflicts.map(({ path, reason }) => `${path} ${reason}`).join())
    })
  const read = (path: string) => readFileSync(made.at(path), 'utf8')
  const git = (...args: string[]) => execFileSync(GIT, args, { cwd: made.root, stdio: 'pipe' })
  return { ...made, undo, call, carryOut, read, git }
}

describe('files that were there before, but were not recorded, are not deleted by an undo', () => {
  test('of a change of ignore rules', async () => {
    const { write, call, carryOut, read } = await setup()
    write('.gitignore', 'build/\n.env\n')
    write('.env', 'KEY=1\n')
    write('build/out', 'built\n')

    const changes = await call(() => {
      write('.gitignore', 'build/\n')
      write('new.txt', 'new\n')
    })
    await carryOut(changes)

    expect([read('.gitignore'), read('.env'), read('build/out')]).toEqual([
      'build/\n.env\n',
      'KEY=1\n',
      'built\n',
    ])
  })

  test('of the deletion of an ignore file that was ignored itself', async () => {
    const later = () => Date.now() + 10_000
    const { write, at, remove, workspace, call, carryOut } = await setup({ now: later })
    write('sub/.gitignore', '*\n')
    write('sub/notes', 'mine\n')
    write('a', 'a\n')
    await workspace.changes.look()

    await carryOut(await call(() => remove('sub/.gitignore')))

    expect(existsSync(at('sub/notes'))).toBe(true)
  })

  test('of a file that the repository tracks from now on', async () => {
    const { write, git, call, carryOut, read } = await setup()
    write('.gitignore', '.env\n')
    write('.env', 'KEY=1\n')
    git('init', '-q')

    await carryOut(await call(() => git('add', '-f', '.env')))

    expect(read('.env')).toBe('KEY=1\n')
  })

  test('of a file that was too large', async () => {
    const { write, at, call, carryOut, read } = await setup()
    write('big.log', 'x'.repeat(1_500_000))

    await carryOut(await call(() => truncateSync(at('big.log'), 10)))

    expect(read('big.log')).toBe('xxxxxxxxxx')
  })

  test('of a project with ignore rules of its own, which is deleted as a whole', async () => {
    const { write, at, call, carryOut } = await setup()
    write('a', 'a\n')

    await carryOut(
      await call(() => {
        write('app/.gitignore', 'node_modules/\n')
        write('app/main.ts', 'main\n')
      }),
    )

    expect(existsSync(at('app'))).toBe(false)
  })
})

test('our own home in the workspace is never recorded nor written, whatever ignore rules say', async () => {
  const { write, at, root, workspace, call, carryOut } = await setup({ never: ['work/.signalbox'] })
  write('.gitignore', '!.signalbox\n!.signalbox/**\n')
  write('.signalbox/token', 'one\n')
  write('a', 'a\n')

  const changes = await call(() => {
    write('.signalbox/token', 'two\n')
    write('.signalbox/new', 'three\n')
    write('a', 'b\n')
  })
  await carryOut(changes)

  expect(changes.flatMap(({ files }) => files.map(({ path }) => path))).toEqual(['a'])
  expect(readFileSync(at('.signalbox/token'), 'utf8')).toBe('two\n')
  const listed = await workspace.store.trees.entries(workspace.store.state?.tree ?? '', ['.signalbox/token'])
  expect([listed, existsSync(join(root, '.signalbox/new'))]).toEqual([[], true])
})

test('nothing that a repository configures runs: hooks, filters, monitors, drivers', async () => {
  const { folder, write, git, call, carryOut, undo, read } = await setup()
  const [marker, program] = [join(folder, 'ran'), join(folder, 'program.sh')]
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${marker}\ncat\n`)
  chmodSync(program, 0o755)
  git('init', '-q')
  for (const [name, value] of [
    ['core.fsmonitor', program],
    ['core.hooksPath', join(folder, 'hooks')],
    ['filter.evil.clean', program],
    ['filter.evil.smudge', program],
    ['filter.evil.process', program],
    ['filter.evil.required', 'true'],
    ['diff.evil.textconv', program],
    ['diff.evil.command', program],
    ['diff.external', program],
    ['merge.evil.driver', program],
    ['core.attributesFile', join(folder, 'attributes')],
    ['core.pager', program],
    ['core.editor', program],
  ])
    git('config', name ?? '', value ?? '')
  mkdirSync(join(folder, 'hooks'))
  for (const hook of ['post-index-change', 'reference-transaction', 'post-checkout', 'pre-auto-gc'])
    symlinkSync(program, join(folder, 'hooks', hook))
  writeFileSync(join(folder, 'attributes'), '* filter=evil diff=evil merge=evil\n')
  write('.gitattributes', '* filter=evil diff=evil merge=evil text eol=crlf\n')
  write('a', `one\n${'-\n'.repeat(8)}end\n`)
  rmSync(marker, { force: true })

  const changes = await call(() => write('a', `two\n${'-\n'.repeat(8)}end\n`))
  write('a', `two\n${'-\n'.repeat(8)}by a user\n`)
  await undo.preview({ sessionId: 'ses_1', changes, only: null })
  await carryOut(changes)

  expect(read('a')).toBe(`one\n${'-\n'.repeat(8)}by a user\n`)
  expect(existsSync(marker)).toBe(false)
})

test('a folder that is made again is not chmodded through a symlink', async () => {
  const { folder, at, write, remove, call, carryOut } = await setup()
  const outside = join(folder, 'outside')
  mkdirSync(outside, { mode: 0o700 })
  write('dir/file', 'x\n')
  chmodSync(at('dir'), 0o777)

  const changes = await call(() => remove('dir'))
  symlinkSync(outside, at('dir'))

  await expect(carryOut(changes)).rejects.toThrow('replaced')
  expect(statSync(outside).mode & 0o777).toBe(0o700)
})

test('a file that grows while an undo is being prepared is not overwritten', async () => {
  const { at, write, call, carryOut, read, workspace } = await setup()
  write('log', 'one\n')
  const changes = await call(() => write('log', 'one\ntwo\n'))
  const { trees } = workspace.store
  const original = trees.read.bind(trees)
  let isLate = false
  // The content is read from the store after the file was compared, and right before it is written.
  trees.read = async (id) => {
    const bytes = await original(id)
    if (isLate || bytes.toString() !== 'one\n') return bytes
    isLate = true
    appendFileSync(at('log'), 'by a user\n')
    return bytes
  }

  await expect(carryOut(changes)).rejects.toThrow('changed while')
  expect(read('log')).toBe('one\ntwo\nby a user\n')
})

test('a file of another user does not get its set-user-ID bit back', async () => {
  const { at, write, remove, call, carryOut } = await setup()
  write('tool', 'one\n')
  chmodSync(at('tool'), 0o4755)

  await carryOut(await call(() => remove('tool')))

  expect(statSync(at('tool')).mode & 0o7777).toBe(0o755)
})

test('nothing runs of a repository that takes the place of a file while it is being recorded', async () => {
  const { folder, at, write, remove, workspace, root } = await setup()
  const git = (...args: string[]) => execFileSync(GIT, ['-C', at('swap'), ...args], { stdio: 'pipe' })
  write('other', 'a file\n')
  await workspace.changes.look()
  const { store } = workspace
  const original = store.git.run.bind(store.git)
  store.git.run = async (args, options) => {
    // After the file was looked at, and before git records it.
    if (args[0] === 'update-index' && args.includes('--add') && statSync(at('swap')).isFile()) {
      remove('swap')
      mkdirSync(at('swap'))
      git('init', '-q')
      writeFileSync(at('swap/inner'), 'inner\n')
      git('add', '.')
      git('-c', 'user.name=x', '-c', 'user.email=x', 'commit', '-qm', 'x')
      git('config', 'core.fsmonitor', `touch ${folder}/PWNED; false`)
      writeFileSync(at('swap/inner'), 'changed\n')
    }
    return original(args, options)
  }
  write('swap', 'a file\n')

  await workspace.changes.look()
  const { tree } = await workspace.changes.look()

  expect(existsSync(join(folder, 'PWNED'))).toBe(false)
  const listed = await store.trees.entries(tree, ['swap', 'swap/inner'])
  expect(listed.map(({ path }) => path)).toEqual(['swap/inner'])
  expect(existsSync(join(root, 'swap/inner'))).toBe(true)
})

test('files of another folder are not recorded when a symlink takes the place of the workspace', async () => {
  const { folder, root, write, workspace } = await setup()
  write('a', 'one\n')
  await workspace.changes.look()
  mkdirSync(join(folder, 'secret'))
  writeFileSync(join(folder, 'secret/key'), 'KEY\n')

  renameSync(root, join(folder, 'moved'))
  symlinkSync(join(folder, 'secret'), root)
  await expect(workspace.changes.look()).rejects.toThrow('A symlink leads')

  rmSync(root)
  renameSync(join(folder, 'moved'), root)
  const { tree } = await workspace.changes.look()
  expect((await workspace.store.trees.entries(tree, ['a', 'key'])).map(({ path }) => path)).toEqual(['a'])
})

test('a pipe in the place of an ignore file delays one look, not each', async () => {
  const { at, write, workspace } = await setup()
  write('a', 'one\n')
  await workspace.changes.look()
  const { git } = workspace.store
  const original = git.attempt.bind(git)
  let count = 0
  git.attempt = (args, options) => {
    count += 1
    return original(args, { ...options, timeoutMs: 300 })
  }
  execFileSync('mkfifo', [at('.gitignore')])

  await expect(workspace.changes.look()).rejects.toThrow('did not end within')
  const first = count
  await expect(workspace.changes.look()).rejects.toThrow('did not end within')

  expect([first > 0, count]).toEqual([true, first])
})

test('a workspace that a call deleted as a whole is there again', async () => {
  const { root, at, write, call, carryOut, read } = await setup()
  write('a', 'one\n')
  write('deep/er/b', 'two\n')
  mkdirSync(at('bare'))

  await carryOut(await call(() => rmSync(root, { recursive: true })))

  expect([read('a'), read('deep/er/b'), existsSync(at('bare'))]).toEqual(['one\n', 'two\n', true])
})

test('an undo that is rolled back leaves no folders behind', async () => {
  const { at, write, remove, call, carryOut, read, workspace } = await setup()
  write('deep/er/a', 'one\n')
  write('z', 'one\n')
  const changes = await call(() => {
    remove('deep')
    write('z', 'two\n')
  })
  const { trees } = workspace.store
  const original = trees.read.bind(trees)
  trees.read = async (id) => {
    // The folders are there by now.
    if (existsSync(at('deep/er/a'))) appendFileSync(at('z'), 'by a user\n')
    return original(id)
  }

  await expect(carryOut(changes)).rejects.toThrow('changed while')

  expect([existsSync(at('deep')), read('z')]).toEqual([false, 'two\nby a user\n'])
})
