/** Undo writes only what it planned, only in the workspace, and is finished after a crash. */

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aCall, makeWorkspace } from '../../../test/support/workspace.js'
import { createIdSource } from '../../lib/id.js'
import { ChangedMeanwhile } from './held-tree.js'
import { Undo, type UndoneData } from './undo.js'

const KIM = { who: 'kim', via: 'cli' } as const

async function setup() {
  const made = await makeWorkspace()
  const { workspace, records } = made
  const undone: UndoneData[] = []
  const undo = new Undo(workspace, {
    ids: createIdSource(),
    append: async (_, data) => void undone.push(data),
  })
  /** A call that does something, as the changes that it made. */
  const call = async (work: () => void) => {
    const toolUseId = `call${records.length}`
    const from = records.length
    await workspace.changes.before(aCall(toolUseId))
    work()
    await workspace.changes.after({ sessionId: 'ses_1', toolUseId })
    return records.slice(from).map(({ data }) => data)
  }
  const request = (
    changes: readonly UndoneData[] | Awaited<ReturnType<typeof call>>,
    only: string[] | null = null,
  ) => ({
    sessionId: 'ses_1',
    changes,
    only: only && new Set(only),
  })
  const carryOut = (...given: Parameters<typeof request>) =>
    undo.carryOut(request(...given), { by: KIM, isRedo: false }, ({ plan }) => {
      if (plan.conflicts.length > 0)
        throw new Error(plan.conflicts.map(({ path, reason }) => `${path} ${reason}`).join())
    })
  const read = (path: string) => readFileSync(made.at(path), 'utf8')
  return { ...made, undo, undone, call, request, carryOut, read }
}

describe('undo', () => {
  test('restores content, permissions, links and folders that a call deleted, and removes what it made', async () => {
    const { at, write, remove, call, carryOut, read } = await setup()
    write('kept', 'kept\n')
    write('dir/private', 'secret\n')
    chmodSync(at('dir/private'), 0o600)
    chmodSync(at('dir'), 0o750)
    symlinkSync('kept', at('link'))
    mkdirSync(at('bare/inner'), { recursive: true })
    const changes = await call(() => {
      remove('dir')
      remove('link')
      remove('bare')
      write('new/deep/file', 'x\n')
      mkdirSync(at('new-bare'))
      renameSync(at('kept'), at('moved'))
    })

    const { files } = await carryOut(changes)

    expect(read('dir/private')).toBe('secret\n')
    expect(lstatSync(at('dir/private')).mode & 0o777).toBe(0o600)
    expect(lstatSync(at('dir')).mode & 0o777).toBe(0o750)
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true)
    expect(lstatSync(at('bare/inner')).isDirectory()).toBe(true)
    expect([existsSync(at('new')), existsSync(at('new-bare')), existsSync(at('moved'))]).toEqual([
      false,
      false,
      false,
    ])
    expect(files.map(({ path, change }) => `${path} ${change}`)).toEqual([
      'bare added',
      'bare/inner added',
      'dir/private added',
      'kept renamed',
      'link added',
      'new-bare deleted',
      'new/deep/file deleted',
    ])
  })

  test('of an undo is a redo', async () => {
    const { write, call, carryOut, read, remove, at } = await setup()
    write('a', 'one\n')
    const changes = await call(() => {
      write('a', 'two\n')
      write('b/c', 'new\n')
    })
    const first = await carryOut(changes)
    expect([read('a'), existsSync(at('b'))]).toEqual(['one\n', false])

    const second = await carryOut([first])

    expect([read('a'), read('b/c')]).toEqual(['two\n', 'new\n'])
    expect(second.undone).toEqual([first.changeId])
    remove('b')
    await expect(carryOut(changes)).resolves.toMatchObject({ totals: { files: 1 } })
  })

  test('keeps what a user changed elsewhere in the file, and is a conflict where both changed the same', async () => {
    const { write, call, carryOut, read } = await setup()
    const lines = (first: string, last: string) => `${first}\n${'-\n'.repeat(8)}${last}\n`
    write('a', lines('one', 'one'))
    const changes = await call(() => write('a', lines('two', 'one')))
    write('a', lines('two', 'by a user'))

    await carryOut(changes)

    expect(read('a')).toBe(lines('one', 'by a user'))
    const more = await call(() => write('a', lines('three', 'by a user')))
    write('a', lines('four', 'by a user'))
    await expect(carryOut(more)).rejects.toThrow('a changed')
    expect(read('a')).toBe(lines('four', 'by a user'))
  })

  test('of one file leaves the others', async () => {
    const { write, call, carryOut, read } = await setup()
    write('a', '1')
    write('b', '1')
    const changes = await call(() => {
      write('a', '2')
      write('b', '2')
    })

    await carryOut(changes, ['a'])

    expect([read('a'), read('b')]).toEqual(['1', '2'])
  })

  test('never writes through a symlink that has taken the place of a folder', async () => {
    const { folder, at, write, remove, call, carryOut } = await setup()
    const outside = join(folder, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'file'), 'outside\n')
    write('dir/file', 'one\n')
    const changes = await call(() => write('dir/file', 'two\n'))
    remove('dir')
    symlinkSync(outside, at('dir'))

    await expect(carryOut(changes)).rejects.toThrow('dir/file deleted')

    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('outside\n')
    const more = await call(() => {})
    expect(more).toEqual([])
  })

  test('puts a file back in the place of a folder only if nothing else is in it', async () => {
    const { at, write, remove, call, carryOut, read } = await setup()
    write('x', 'file\n')
    const changes = await call(() => {
      remove('x')
      write('x/inner/file', 'in a folder\n')
    })
    write('x/mine', 'by a user\n')
    await expect(carryOut(changes)).rejects.toThrow('x replaced')
    remove('x/mine')

    await carryOut(changes)

    expect(read('x')).toBe('file\n')
    expect(lstatSync(at('x')).isFile()).toBe(true)
  })

  test('covers ignored files that a call names, up to a limit', async () => {
    const { workspace, records, at, write, remove, carryOut, read } = await setup()
    write('.gitignore', 'build/\n')
    write('build/a', 'built\n')
    chmodSync(at('build/a'), 0o640)
    await workspace.changes.look()
    const { IgnoredChanges } = await import('../ignored-changes.js')
    const ignored = new IgnoredChanges(workspace)
    await workspace.changes.before(aCall('rm'))
    await ignored.save('rm', ['build'])
    remove('build')
    await workspace.changes.after({ sessionId: 'ses_1', toolUseId: 'rm' })
    await ignored.record({ sessionId: 'ses_1', toolUseId: 'rm', turnId: null })

    await carryOut(records.map(({ data }) => data))

    expect(read('build/a')).toBe('built\n')
    expect(lstatSync(at('build/a')).mode & 0o777).toBe(0o640)
    for (let index = 0; index < 21; index += 1) write(`build/${index}`, 'x')
    expect(await ignored.find(['build'])).toEqual({ files: [], tooMany: 22 })
  })

  test('that finds a file changed in the last moment leaves everything as it was', async () => {
    const { workspace, write, call, request, read, undo } = await setup()
    write('a', '1')
    write('b', '1')
    const changes = await call(() => {
      write('a', '2')
      write('b', '2')
    })
    const late = undo.carryOut(request(changes), { by: KIM, isRedo: false }, () => write('b', 'by a user'))

    await expect(late).rejects.toBeInstanceOf(ChangedMeanwhile)

    expect([read('a'), read('b')]).toEqual(['2', 'by a user'])
    expect(existsSync(join(workspace.store.git.store, 'undo.json'))).toBe(false)
  })
})
