import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { rememberWorking } from './working-hook.js'

test('a hook is started again only when its file has changed, or after a while', async () => {
  const file = join(await temporaryFolder(), 'hook')
  const clock = createManualClock()
  let runs = 0
  const works = rememberWorking(clock, () => {
    runs += 1
    return runs > 1
  })

  expect([works(file), works(file), runs]).toEqual([false, false, 1])
  writeFileSync(file, '#!/bin/sh\n')
  expect([works(file), works(file), runs]).toEqual([true, true, 2])
  clock.advance(15_001)
  expect([works(file), runs]).toEqual([true, 3])
})
