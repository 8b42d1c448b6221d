import { expect, test } from 'vitest'
import { contentBlocks, decodeText, messageText, readFiles, shownName } from './attached-file.js'

const bytesOf = (...codes: number[]) => new Uint8Array(codes).buffer
const file = (name: string, content: BlobPart, type = '') => new File([content], name, { type })
const MEGABYTE = 1024 * 1024

test('text is what is UTF-8 without a NUL', () => {
  expect(decodeText(new TextEncoder().encode('한글\n').buffer)).toBe('한글\n')
  expect(decodeText(bytesOf(0xff, 0xfe, 0x41, 0))).toBeNull()
  expect(decodeText(bytesOf(0x50, 0x4b, 0, 4))).toBeNull()
  expect(decodeText(bytesOf(0xc3))).toBeNull()
})

test('names are shown without control characters, and never too long', () => {
  expect(shownName('notes.md')).toBe('notes.md')
  expect(shownName('a\u001b[2J\u202e.md')).toBe('a_[2J_.md')
  expect(shownName(`${'a'.repeat(300)}.md`)).toHaveLength(255)
  expect(shownName('')).toBe('file')
})

test('text files are taken with their name, others are refused with a reason', async () => {
  const { attachments, problems } = await readFiles(
    [
      file('notes.md', '# Notes'),
      file('empty.txt', ''),
      file('app.zip', new Uint8Array([0x50, 0x4b, 3, 4, 0]), 'application/zip'),
      file('big.log', 'x'.repeat(MEGABYTE)),
      file('source.ts', 'export {}', 'video/mp2t'),
    ],
    [],
  )

  expect(attachments.map(({ name, kind, data }) => [name, kind, data])).toEqual([
    ['notes.md', 'text', '# Notes'],
    ['source.ts', 'text', 'export {}'],
  ])
  expect(problems).toEqual([
    'empty.txt is empty.',
    expect.stringMatching(/^app\.zip cannot be attached: only images, PDF and text files in UTF-8 can\./),
    expect.stringMatching(/^big\.log is larger than 512 KB\./),
  ])
})

test('all files of a message together have a limit', async () => {
  const texts = Array.from({ length: 30 }, (_, at) => file(`${at}.txt`, 'x'.repeat(MEGABYTE / 2)))
  const { attachments, problems } = await readFiles(texts, [])
  expect([attachments.length, problems.length]).toEqual([20, 10])
  const again = await readFiles([file('one.txt', 'x'.repeat(1000))], attachments)
  expect(again.problems).toHaveLength(1)
})

test('a message has at most fifty files', async () => {
  const texts = Array.from({ length: 52 }, (_, at) => file(`${at}.txt`, 'x'))
  const { attachments, problems } = await readFiles(texts, [])
  expect([attachments.length, problems]).toEqual([
    50,
    [
      '50.txt does not fit: a message can have 50 files.',
      '51.txt does not fit: a message can have 50 files.',
    ],
  ])
})

test('files come before the text, so that Claude Code reads its commands and mentions', () => {
  const text = { id: '1', name: 'a.md', bytes: 1, kind: 'text' as const, data: 'A' }
  const image = {
    id: '2',
    name: 'b.png',
    bytes: 1,
    kind: 'image' as const,
    mediaType: 'image/png' as const,
    data: 'AA==',
  }
  expect(contentBlocks('see @x', [text, image]).map(({ type }) => type)).toEqual([
    'document',
    'image',
    'text',
  ])
  expect(contentBlocks('  ', [text]).map(({ type }) => type)).toEqual(['document'])
  expect(messageText(contentBlocks('', [text]))).toBe('a.md')
  expect(messageText(contentBlocks('hello', [image]))).toBe('hello')
})
