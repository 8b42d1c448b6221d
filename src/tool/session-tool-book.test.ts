import { expect, test } from 'vitest'
import { z } from 'zod'
import { BUILT_IN, PROGRAM, ToolRegistry } from './registry.js'
import { SessionToolBook } from './session-tool-book.js'
import { defineTool } from './tool.js'

const aTool = (name: string, description: string) =>
  defineTool({ name, description, input: z.object({}), run: () => description })

test('a tool that a program gives to a session replaces a built-in one of its name, there alone', () => {
  const book = new SessionToolBook(
    new ToolRegistry([aTool('datetime', 'ours'), aTool('file_reader', 'ours')]),
  )
  book.give('ses_1', [aTool('datetime', 'theirs')])

  const own = book.of('ses_1')
  expect(own.list().map(({ name, description }) => [name, description])).toEqual([
    ['file_reader', 'ours'],
    ['datetime', 'theirs'],
  ])
  expect([own.sourceOf('datetime'), own.sourceOf('file_reader')]).toEqual([PROGRAM, BUILT_IN])
  expect(book.of('ses_2').get('datetime')?.description).toBe('ours')

  book.give('ses_1', [])
  expect(book.of('ses_1').get('datetime')?.description).toBe('ours')
})
