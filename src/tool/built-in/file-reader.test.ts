import { execFileSync } from 'node:child_process'
import { chmod, mkdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { aToolContext } from '../../../test/support/tool-context.js'
import { callTool } from '../call.js'
import type { FileGuard } from '../file/guard.js'
import { readWindow } from '../file/line-window.js'
import { createFileReader } from './file-reader.js'

async function workspace(files: Record<string, string | Uint8Array> = {}) {
  const folder = await temporaryFolder()
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  const read = async (args: Record<string, unknown>, guard: FileGuard = () => ({ allowed: true })) => {
    const result = await callTool(createFileReader(guard), args, aToolContext({ workspace: folder }))
    const texts = result.content.map((part) => (part.type === 'text' ? part.text : `<${part.mimeType}>`))
    return result.isError ? `failed: ${texts.join('|')}` : texts.join('|')
  }
  return { folder, read }
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')

test('a small file is shown as it is', async () => {
  const { read, folder } = await workspace({ 'a.txt': 'one\r\ntwo', 'b.txt': 'x\n' })
  expect(await read({ path: 'a.txt' })).toBe('one\r\ntwo')
  expect(await read({ path: join(folder, 'b.txt') })).toBe('x\n')
})

test('a window is a start and a number of lines, and tells how to go on', async () => {
  const { read } = await workspace({ 'a.txt': numbered(5) })
  expect(await read({ path: 'a.txt', limit: 2 })).toBe(
    'line 1\nline 2\n|[Lines 1 to 2; the file goes on: use offset 3.]',
  )
  expect(await read({ path: 'a.txt', offset: 3, limit: 2 })).toBe(
    'line 3\nline 4\n|[Lines 3 to 4; the file goes on: use offset 5.]',
  )
  expect(await read({ path: 'a.txt', offset: 4 })).toBe('line 4\nline 5\n|[Lines 4 to 5, the last.]')
  expect(await read({ path: 'a.txt', limit: 5 })).toBe(numbered(5))
  expect(await read({ path: 'a.txt', offset: 6 })).toBe(
    'failed: The file has 5 lines: line 6 is behind its end.',
  )
})

test.each([0, -1, 1.5])('a window cannot start or end at %d', async (value) => {
  const { read } = await workspace({ 'a.txt': 'x' })
  expect(await read({ path: 'a.txt', offset: value })).toMatch(/^failed: offset counts from 1/)
  expect(await read({ path: 'a.txt', limit: value })).toMatch(/^failed: limit counts from 1/)
})

test.each([
  ['UTF-8', Buffer.from('안녕 😀\n'), '안녕 😀\n'],
  ['UTF-8 with a mark', Buffer.from('\ufeff안녕\n'), '안녕\n|[Encoding: utf-8 with a byte order mark.]'],
  ['UTF-16, little end first', Buffer.from('\ufeff안녕 😀\n', 'utf16le'), '안녕 😀\n|[Encoding: utf-16le.]'],
  ['UTF-16, big end first', Buffer.from('\ufeff안녕\n', 'utf16le').swap16(), '안녕\n|[Encoding: utf-16be.]'],
  ['Latin 1', Buffer.from('caf\u00e9\n', 'latin1'), 'café\n|[Encoding: latin1.]'],
  ['nothing', Buffer.alloc(0), '[The file is empty.]'],
])('text in %s is read', async (_, content, shown) => {
  const { read } = await workspace({ 'a.txt': content })
  expect(await read({ path: 'a.txt' })).toBe(shown)
})

test.each([
  ['bytes with zeros', Buffer.from([1, 0, 2])],
  ['a zero far behind the start', Buffer.from(`${'x\n'.repeat(40_000)}\0`)],
  ['half a character of UTF-16', Buffer.from([0xff, 0xfe, 0x41])],
  ['broken UTF-8 behind a mark', Buffer.from([0xef, 0xbb, 0xbf, 0x41, 0xff, 0x00])],
])('%s are not text', async (_, content) => {
  const { read } = await workspace({ a: content })
  expect(await read({ path: 'a', offset: content.length > 10 ? 40_001 : 1 })).toMatch(
    /^failed: a is not a text file \(\d+ bytes\)\.$/,
  )
})

test('an image is shown as an image', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000', 'hex')
  const webp = Buffer.from('RIFF0000WEBPVP8 ', 'latin1')
  const { read } = await workspace({ 'a.png': png, 'a.webp': webp })
  expect(await read({ path: 'a.png' })).toBe('<image/png>')
  expect(await read({ path: 'a.webp' })).toBe('<image/webp>')
})

test('a long line is cut between characters, and the result is bounded', async () => {
  const { read } = await workspace({
    'a.txt': `short\n${'é'.repeat(10_000)}\nend\n`,
    'b.txt': `${'x'.repeat(99)}\n`.repeat(2_000),
  })
  const cut = await read({ path: 'a.txt' })
  expect(cut).toBe(`short\n${'é'.repeat(4_096)}\nend\n|[Too long and shown in part only: line 2.]`)
  const bounded = await read({ path: 'b.txt' })
  expect(bounded).toMatch(/\[Lines 1 to 656; the file goes on: use offset 657\.\]$/)
})

test('a file of many gigabytes is read in pieces', async () => {
  const { read, folder } = await workspace({ 'huge.txt': numbered(10_000) })
  await truncate(join(folder, 'huge.txt'), 50 * 1024 ** 3)
  expect(await read({ path: 'huge.txt', limit: 3 })).toMatch(/^line 1\nline 2\nline 3\n\|\[Lines 1 to 3;/)
})

test('what is not a file in the workspace is refused in words', async () => {
  const { read, folder } = await workspace({ 'a.txt': 'x', secret: 'x' })
  await mkdir(join(folder, 'sub'))
  await symlink('nowhere', join(folder, 'dangling'))
  await symlink('loop', join(folder, 'loop'))
  await symlink('a.txt', join(folder, 'inner'))
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')])

  expect(await read({ path: 'gone.txt' })).toBe('failed: gone.txt does not exist.')
  expect(await read({ path: 'a.txt/b' })).toBe('failed: a.txt is not a folder.')
  expect(await read({ path: 'gone/b' })).toBe('failed: gone does not exist.')
  expect(await read({ path: 'sub' })).toBe('failed: sub is a folder, not a file.')
  expect(await read({ path: '.' })).toBe('failed: This is the workspace itself, not a file.')
  expect(await read({ path: 'pipe' })).toBe('failed: pipe is not a regular file.')
  expect(await read({ path: 'dangling' })).toMatch(/^failed: dangling is a link that leads nowhere/)
  expect(await read({ path: 'loop' })).toMatch(/^failed: loop is a link/)
  expect(await read({ path: 'x'.repeat(300) })).toMatch(/has a name that is too long/)
  expect(await read({ path: 'a\0b' })).toBe('failed: A path cannot contain a NUL character.')
  expect(await read({ path: '~/a' })).toMatch(/^failed: ~\/a is in a home folder/)
  expect(await read({ path: '../a' })).toMatch(/^failed: \.\.\/a leads outside the workspace/)
  expect(await read({ path: 'inner' })).toBe('x')
})

test('a protected file obeys the policy, by its real path', async () => {
  const { read, folder } = await workspace({ '.env': 'KEY=1', 'a.txt': 'x' })
  await symlink('.env', join(folder, 'innocent'))
  const asked: unknown[] = []
  const guard: FileGuard = ({ operation, path, workspace: root }) => {
    asked.push([operation, path, root])
    return path.endsWith('.env') ? { allowed: false, reason: 'Protected file.' } : { allowed: true }
  }
  expect(await read({ path: 'innocent' }, guard)).toBe('failed: .env may not be read: Protected file.')
  expect(await read({ path: 'a.txt' }, guard)).toBe('x')
  expect(asked).toEqual([
    ['read', join(folder, '.env'), folder],
    ['read', join(folder, 'a.txt'), folder],
  ])
})

test.skipIf(process.getuid?.() === 0)('a file without the right to read it is refused', async () => {
  const { read, folder } = await workspace({ 'a.txt': 'x' })
  await chmod(join(folder, 'a.txt'), 0)
  expect(await read({ path: 'a.txt' })).toMatch(/may not be used/)
})

test('however a text is cut into pieces, a window shows the same lines', async () => {
  async function* cut(bytes: Buffer, sizes: readonly number[]) {
    let place = 0
    for (let index = 0; place < bytes.length; index += 1) {
      const size = sizes[index % sizes.length] ?? 1
      yield bytes.subarray(place, place + size)
      place += size
    }
  }
  const options = { maxBytes: 1_000_000, maxLineBytes: 1_000_000 }
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'é', '안', '😀', '\n', '\r\n'), { maxLength: 30 }),
      fc.array(fc.integer({ min: 4, max: 9 }), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom('utf8' as const, 'utf16le' as const),
      async (letters, sizes, offset, maxLines, encoding) => {
        const text = letters.join('')
        const lines = text.split(/(?<=\n)/).filter((line) => line !== '')
        fc.pre(offset === 1 || offset <= lines.length)
        const bytes = Buffer.from(encoding === 'utf16le' ? `\ufeff${text}` : text, encoding)
        const window = await readWindow(cut(bytes, sizes), { ...options, offset, maxLines })
        expect(window).toMatchObject({
          text: lines.slice(offset - 1, offset - 1 + maxLines).join(''),
          next: offset - 1 + maxLines < lines.length ? offset + maxLines : null,
        })
      },
    ),
  )
})
