import { appendFileSync, closeSync, openSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { LineReader } from './line-reader.js'
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

test('a line that is too long is scanned in several calls, where that is asked for', async () => {
  const path = join(await temporaryFolder(), 'long.jsonl')
  writeFileSync(path, `${'x'.repeat(5 << 20)}\nend\n`)
  const file = openSync(path, 'r')
  onTestFinished(() => closeSync(file))
  const reader = new LineReader({ batchBytes: 1_000, maxLineBytes: 10_000, maxScanBytes: 2 << 20 })
  const size = (5 << 20) + 5

  expect(reader.read(file, 0, size)).toEqual({ lines: [], nextOffset: 0 })
  expect(reader.isScanning).toBe(true)
  expect(reader.read(file, 0, size)).toEqual({ lines: [], nextOffset: 0 })
  expect(reader.read(file, 0, size)).toMatchObject({ lines: [{ offset: 0, length: 5 << 20, text: null }] })
  expect(reader.isScanning).toBe(false)
  expect(reader.read(file, (5 << 20) + 1, size)).toMatchObject({ lines: [{ text: 'end' }], nextOffset: size })
})
