import { expect, test } from 'vitest'
import { usageError } from './help.js'

test('a mistake in the words is a sentence with the way to the help', () => {
  expect(usageError("error: missing required argument 'id'\n", 'show')).toBe(
    'Missing required argument \'id\'. See "signalbox show --help".',
  )
  expect(usageError("error: unknown command 'sesions'\n(Did you mean sessions?)\n", null)).toBe(
    'Unknown command \'sesions\'. (Did you mean sessions?) See "signalbox --help".',
  )
})
