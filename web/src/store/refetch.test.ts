import { expect, test } from 'vitest'
import { type ErrorCode, HubError } from '../../../src/protocol/index.js'
import { refetch } from './refetch.js'

async function attempts(...codes: ErrorCode[]): Promise<number> {
  let count = 0
  const load = async () => {
    const code = codes[count++]
    if (code !== undefined) throw new HubError(code, code)
  }
  await refetch(load, async () => {})
  return count
}

test('what fails for a moment is loaded again', async () => {
  expect(await attempts('storage_unavailable', 'requests_limited', 'internal_error')).toBe(4)
})

test('it gives up after five retries', async () => {
  expect(await attempts(...Array<ErrorCode>(20).fill('internal_error'))).toBe(6)
})

test.each<ErrorCode>(['daemon_unreachable', 'request_not_found', 'credential_invalid'])(
  '%s is not retried, and does not fail the page',
  async (code) => {
    expect(await attempts(code)).toBe(1)
  },
)
