import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import type { WritingCall } from '../../change/session-changes.js'
import { createCallChanges } from './call-changes.js'

async function described(name: string, paths: (workspace: string) => string[]) {
  const workspace = await temporaryFolder()
  writeFileSync(join(workspace, 'a'), 'a\n')
  symlinkSync('a', join(workspace, 'link'))
  const calls: WritingCall[] = []
  const changes = {
    foresee: async () => {},
    prepare: () => {},
    before: async (call: WritingCall) => {
      calls.push(call)
      return null
    },
  }
  const { before } = createCallChanges({ changes, workspace, changedPaths: async () => paths(workspace) })
  await before({ name, input: {}, toolUseId: 'call' }, false)
  return calls.map(({ paths: named, outside, isExact }) => ({ named, outside: outside.length, isExact }))
}

test('an edit is exact, except through a symlink; names are taken as they are', async () => {
  expect(await described('Edit', (at) => [`${at}/a`])).toEqual([{ named: ['a'], outside: 0, isExact: true }])
  expect(await described('Edit', (at) => [`${at}/link`])).toMatchObject([{ isExact: false }])
  expect(await described('Write', (at) => [`${at}/"a"`])).toMatchObject([{ named: ['"a"'], isExact: true }])
  expect(await described('Bash', (at) => [`${at}/a`, '/etc/hosts'])).toEqual([
    { named: ['a'], outside: 1, isExact: false },
  ])
})

test('a tool that only reads needs no look, and one that is not known may write', async () => {
  expect(await described('Read', () => [])).toEqual([])
  expect(await described('mcp__kit__anything', () => [])).toHaveLength(1)
})
