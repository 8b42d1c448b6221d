import { closeSync, openSync, writeSync } from 'node:fs'
import { expect, test } from 'vitest'
import { HalfDone } from './apply.js'
import { ChangedMeanwhile } from './held-tree.js'
import { shownFailure } from './undo-failure.js'

function fullDisk(): unknown {
  const file = openSync('/dev/full', 'w')
  try {
    return writeSync(file, 'text')
  } catch (error) {
    return error
  } finally {
    closeSync(file)
  }
}

test('a file that was saved in the last moment is a conflict, not an internal error', () => {
  expect(shownFailure(new ChangedMeanwhile('src/a.ts'))).toMatchObject({
    code: 'undo_conflict',
    message: expect.stringContaining('src/a.ts (changed since)'),
    details: { conflicts: [{ path: 'src/a.ts', reason: 'changed' }] },
  })
})

test.skipIf(process.platform !== 'linux')('a full disk is named, and whether anything was changed', () => {
  expect(shownFailure(fullDisk())).toMatchObject({
    code: 'undo_failed',
    message: expect.stringMatching(/^Nothing was undone\. .*ENOSPC/),
  })
  expect(shownFailure(new HalfDone(2, fullDisk()))).toMatchObject({
    code: 'undo_failed',
    message: expect.stringMatching(/next undo in this folder.*ENOSPC/),
  })
})

test('a fault of our own stays one', () => {
  const fault = new TypeError('x is not a function')
  expect(shownFailure(fault)).toBe(fault)
})
