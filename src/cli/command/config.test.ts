import { expect, test } from 'vitest'
import { readConfig } from '../../config.js'
import { withoutSecrets } from './config.js'

test('the headers of a collector are printed without their values', () => {
  const telemetry = {
    endpoint: 'https://otel.example.com',
    headers: { Authorization: 'Bearer collector-key' },
  }
  const shown = withoutSecrets(readConfig('/nowhere', { telemetry }, {}))
  expect(shown.telemetry.headers).toEqual({ Authorization: '[redacted]' })
  expect(JSON.stringify(shown)).not.toContain('collector-key')
})
