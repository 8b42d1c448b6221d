import { expect, test } from 'vitest'
import { createTerminal } from './terminal.js'

test('what somebody else has answered before the question is shown is not asked', async () => {
  const answered = new AbortController()
  const asked = createTerminal(process).ask('Allow? ', answered.signal)
  answered.abort()
  await expect(asked).rejects.toThrow('no longer pending')
})
