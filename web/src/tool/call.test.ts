import { expect, test } from 'vitest'
import { changesOf, errorText, lineCounts } from './call.js'

test('the tags around an error are for the model', () => {
  expect(errorText('<tool_use_error>File does not exist.</tool_use_error>')).toBe('File does not exist.')
})

test('an edit without the text of the whole file has the line numbers of the diff in its result', () => {
  const hunk = { oldStart: 40, oldLines: 2, newStart: 40, newLines: 3, lines: [' a', '-b', '+c', '+d'] }
  const result = { originalFile: null, structuredPatch: [hunk] }
  const input = { file_path: '/w/a.ts', old_string: 'b', new_string: 'c\nd' }

  expect(changesOf('Edit', input, result)).toEqual([
    {
      path: '/w/a.ts',
      isWhole: true,
      before: '',
      after: '',
      hunks: [{ oldStart: 40, newStart: 40, lines: [' a', '-b', '+c', '+d'] }],
    },
  ])
  expect(lineCounts(result)).toEqual({ added: 2, removed: 1 })
  expect(lineCounts(null)).toBeNull()
})
