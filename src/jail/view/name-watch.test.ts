import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { whenDone } from '../../../test/support/when-done.js'
import { createNameWatches, MAX_WATCHED } from './name-watch.js'

async function setup() {
  const root = await temporaryFolder()
  const inner = join(root, 'inner')
  await mkdir(inner)
  const watches = createNameWatches()
  whenDone(() => watches.close())
  watches.keep(root, [root, inner])
  let last = await watches.changes(root)
  /** Whether something was noticed since the last call. */
  const isNoticed = async () => {
    const [before, now] = [last, await watches.changes(root)]
    last = now
    return now !== before
  }
  const comeAndGo = async (path: string) => {
    await writeFile(path, '')
    await rm(path)
    return isNoticed()
  }
  return { root, inner, watches, isNoticed, comeAndGo }
}

test('a protected name that comes and goes is noticed, an ordinary one is not', async () => {
  const { root, inner, comeAndGo, isNoticed } = await setup()

  expect(await comeAndGo(join(root, '.env.copy'))).toBe(true)
  expect(await comeAndGo(join(inner, 'server.pem'))).toBe(true)
  expect(await comeAndGo(join(inner, 'notes.txt'))).toBe(false)
  await writeFile(join(root, 'plain'), '')
  await rename(join(root, 'plain'), join(root, '.env'))
  expect(await isNoticed()).toBe(true)
  await writeFile(join(root, '.env'), 'new content')
  expect(await isNoticed()).toBe(false)
})

test('a folder that is deleted and made again is watched again from the next look', async () => {
  const { root, inner, watches, comeAndGo, isNoticed } = await setup()

  await rm(inner, { recursive: true })
  expect(await isNoticed()).toBe(true)
  await mkdir(inner)
  watches.keep(root, [root, inner])
  await isNoticed()

  expect(await comeAndGo(join(inner, '.env'))).toBe(true)
})

test('only so many folders are watched, and none after the end', async () => {
  const { root, inner, watches, comeAndGo } = await setup()

  watches.keep(root, [...Array.from({ length: MAX_WATCHED }, (_, index) => join(root, `${index}`)), inner])
  expect(await comeAndGo(join(inner, '.env'))).toBe(false)
  watches.keep(root, [inner])
  expect(await comeAndGo(join(inner, '.env'))).toBe(true)
  watches.close()
  watches.close()
  expect(await watches.changes(root)).toBe(0)
})
