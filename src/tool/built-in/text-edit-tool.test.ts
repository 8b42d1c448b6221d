import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { aToolContext } from '../../../test/support/tool-context.js'
import { callTool } from '../call.js'
import { applyEdits, type Edit } from '../file/edit.js'
import type { FileGuard } from '../file/guard.js'
import { createTextEditTool } from './text-edit-tool.js'

async function workspace(content?: string | Uint8Array) {
  const folder = await temporaryFolder()
  const file = join(folder, 'a.txt')
  if (content !== undefined) await writeFile(file, content)
  const edit = async (edits: Edit[], path = 'a.txt', guard: FileGuard = () => ({ allowed: true })) => {
    const result = await callTool(
      createTextEditTool(guard),
      { path, edits },
      aToolContext({ workspace: folder }),
    )
    const [part] = result.content
    return `${result.isError ? 'failed: ' : ''}${part?.type === 'text' ? part.text : ''}`
  }
  return { folder, file, edit, bytes: () => readFile(file), text: () => readFile(file, 'utf8') }
}

const replace = (old_text: string, new_text: string, all_occurrences?: boolean): Edit => ({
  old_text,
  new_text,
  ...(all_occurrences !== undefined && { all_occurrences }),
})

test('edits are made one after the other, and told by line', async () => {
  const { edit, text } = await workspace('one\ntwo\nthree\n')
  expect(await edit([replace('two', '2'), replace('2\nthree', 'zwei\ndrei'), replace('o', '$&', true)])).toBe(
    'a.txt was edited in 3 places, line 2, 2, 1.',
  )
  expect(await text()).toBe('$&ne\nzwei\ndrei\n')
})

test('all edits are made or none', async () => {
  const { edit, text, folder } = await workspace('one\ntwo\n')
  expect(await edit([replace('one', '1'), replace('three', '3')])).toBe(
    'failed: a.txt: Edit 2 of 2: old_text was not found. Read the file again: nothing in it begins like this. Nothing was changed.',
  )
  expect(await text()).toBe('one\ntwo\n')
  expect(await readdir(folder)).toEqual(['a.txt'])
})

describe('an edit that does not fit says where', () => {
  test.each([
    ['a\nb\na\n', replace('a', 'x'), 'found 2 times, in line 1, 3. Add text around it'],
    ['aaa', replace('aa', 'x'), 'found 2 times, in line 1, 1.'],
    [
      'if (x) {\n\treturn 1\n}\n',
      replace('if (x) {\n  return 1', 'y'),
      'In line 1 is text that differs from it only in white space.',
    ],
    ['\n\nfoo  bar\n', replace('foo bar', 'y'), 'In line 3 is text that differs'],
    ['one\ntwo\nthree\n', replace('one\ntwo\nfour', 'y'), 'Line 1 begins like it; it differs in line 3.'],
    ['one\n', replace('two', 'y'), 'nothing in it begins like this'],
    ['one\n', replace('one', 'one'), 'old_text and new_text are the same'],
    ['one\n', replace('', 'x'), 'old_text is empty'],
  ])('%j %j', async (content, wrong, problem) => {
    const { edit, text } = await workspace(content)
    expect(await edit([wrong])).toContain(problem)
    expect(await text()).toBe(content)
  })

  test('many places are not all listed', async () => {
    const { edit } = await workspace('x\n'.repeat(50))
    expect(await edit([replace('x', 'y')])).toContain(
      'found 50 times, in line 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more',
    )
  })

  test('no edits are refused', async () => {
    expect(await (await workspace('x')).edit([])).toContain('There are no edits.')
  })
})

describe('a file keeps', () => {
  test.each([
    ['its line breaks', 'one\r\ntwo\r\n', replace('one\ntwo', '1\n2\n3'), '1\r\n2\r\n3\r\n'],
    ['its plain line breaks', 'one\ntwo\n', replace('one\r\ntwo', '1\r\n2'), '1\n2\n'],
    ['its mixed line breaks', 'a\r\nb\nc', replace('b\nc', 'x\ny'), 'a\r\nx\ny'],
    ['a missing break at its end', 'one', replace('one', 'two'), 'two'],
  ])('%s', async (_, before, change, after) => {
    const { edit, text } = await workspace(before)
    expect(await edit([change])).not.toMatch(/^failed/)
    expect(await text()).toBe(after)
  })

  test.each([
    ['UTF-8 with its mark', (text: string) => Buffer.from(`\ufeff${text}`)],
    ['UTF-16, little end first', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16, big end first', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['Latin 1', (text: string) => Buffer.from(text, 'latin1')],
  ])('its encoding: %s', async (_, encoded) => {
    const { edit, bytes } = await workspace(encoded('café\none\n'))
    expect(await edit([replace('one', 'zwölf')])).not.toMatch(/^failed/)
    expect(await bytes()).toEqual(encoded('café\nzwölf\n'))
  })

  test('its mode, and is another file only to those who look for it', async () => {
    const { edit, file, folder } = await workspace('#!/bin/sh\necho one\n')
    await chmod(file, 0o751)
    await edit([replace('one', 'two')])
    expect((await stat(file)).mode & 0o7777).toBe(0o751)
    expect(await readdir(folder)).toEqual(['a.txt'])
  })

  test('the link that leads to it', async () => {
    const { edit, folder, text } = await workspace('one')
    await symlink('a.txt', join(folder, 'link'))
    expect(await edit([replace('one', 'two')], 'link')).toBe('a.txt was edited in line 1.')
    expect(await text()).toBe('two')
  })
})

test('characters that an encoding has not are refused', async () => {
  const { edit, bytes } = await workspace(Buffer.from('caf\u00e9', 'latin1'))
  expect(await edit([replace('caf', '안')])).toMatch(/^failed: a.txt is in Latin 1/)
  expect(await bytes()).toEqual(Buffer.from('caf\u00e9', 'latin1'))
})

test('what is not text is not edited', async () => {
  const { edit } = await workspace(Buffer.from([1, 0, 2]))
  expect(await edit([replace('a', 'b')])).toBe('failed: a.txt is not a text file.')
})

test('an empty old text makes a file, with the folders above it', async () => {
  const { edit, folder } = await workspace()
  expect(await edit([replace('', 'hello\n')], 'new/deep/b.txt')).toBe('new/deep/b.txt was made.')
  expect(await readFile(join(folder, 'new/deep/b.txt'), 'utf8')).toBe('hello\n')
  expect(await edit([replace('', 'again')], 'new/deep/b.txt')).toMatch(/^failed: .*old_text is empty/)
  expect(await edit([replace('x', 'y')], 'gone.txt')).toMatch(/The file does not exist. To make it/)
  expect(await edit([replace('x', 'y')], 'gone/b.txt')).toBe('failed: gone does not exist.')
  expect(await readdir(folder)).toEqual(['new'])
})

test('an empty file is filled', async () => {
  const { edit, text } = await workspace('')
  expect(await edit([replace('', 'hello')])).not.toMatch(/^failed/)
  expect(await text()).toBe('hello')
})

test('a folder, a dangling link and a protected file are refused', async () => {
  const { edit, folder, text } = await workspace('x')
  await mkdir(join(folder, 'sub'))
  await symlink(join(folder, '..', 'made-outside'), join(folder, 'dangling'))
  expect(await edit([replace('', 'y')], 'sub')).toBe('failed: sub is a folder, not a file.')
  expect(await edit([replace('', 'y')], 'dangling')).toMatch(/^failed: dangling is a link/)
  const guard: FileGuard = ({ operation }) => ({ allowed: false, reason: `Protected for ${operation}.` })
  expect(await edit([replace('x', 'y')], 'a.txt', guard)).toBe(
    'failed: a.txt may not be written: Protected for write.',
  )
  expect(await text()).toBe('x')
})

test('calls for one file at the same time do not undo each other', async () => {
  const lines = Array.from({ length: 20 }, (_, index) => `<${index}>`)
  const { folder, text } = await workspace(lines.join('\n'))
  const tool = createTextEditTool(() => ({ allowed: true }))
  const results = await Promise.all(
    lines.map((line, index) =>
      callTool(
        tool,
        { path: index % 2 === 0 ? 'a.txt' : './a.txt', edits: [replace(line, `[${index}]`)] },
        aToolContext({ workspace: folder }),
      ),
    ),
  )
  expect(results.filter(({ isError }) => isError)).toEqual([])
  expect(await text()).toBe(lines.map((_, index) => `[${index}]`).join('\n'))
})

test('replacing all is what splitting and joining is', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '$', '\n') })
  fc.assert(
    fc.property(text, text, text, (whole, old_text, new_text) => {
      fc.pre(old_text !== '' && old_text !== new_text && whole.includes(old_text))
      expect(applyEdits(whole, [{ old_text, new_text, all_occurrences: true }])).toMatchObject({
        text: whole.split(old_text).join(new_text),
      })
    }),
  )
})

test('an edit without all_occurrences is made exactly if there is one place', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b') })
  fc.assert(
    fc.property(text, text, (whole, old_text) => {
      fc.pre(old_text !== '')
      const places = Array.from(whole, (_, place) => place).filter((place) =>
        whole.startsWith(old_text, place),
      )
      const edited = applyEdits(whole, [{ old_text, new_text: 'X' }])
      expect('text' in edited).toBe(places.length === 1)
    }),
  )
})
