import { appendFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { StreamTail } from './tail.js'

test('a stream that is set aside while older files are still read waits for its turn', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'lifecycle.jsonl')
  const [older, old, newer] = ['a', 'b', 'c'].map((name) => `${path}.20261115T12000000${name}`)
  const at = (file: string | undefined, seconds: number) => utimesSync(file ?? '', seconds, seconds)
  writeFileSync(older ?? '', '1\n2\n3\n')
  at(older, 1_000)
  writeFileSync(path, '4\n5\n')
  const tail = new StreamTail(path, { batchBytes: 2, maxLineBytes: 100 })
  onTestFinished(() => tail.close())
  const read: string[] = []
  const step = () => {
    const batch = tail.next()
    for (const { text } of batch?.lines ?? []) read.push(text ?? '')
    batch?.accept()
    return batch !== null
  }

  step()
  renameSync(path, old ?? '')
  at(old, 2_000)
  writeFileSync(path, '6\n')
  renameSync(path, newer ?? '')
  at(newer, 3_000)
  tail.lookAround()
  step()
  appendFileSync(path, '7\n')
  while (step());

  expect(read).toEqual(['1', '2', '3', '4', '5', '6', '7'])
})
