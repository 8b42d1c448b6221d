import { expect, test } from 'vitest'
import { aMessage, calm } from './channel-suite.js'
import { type ChannelPort, DeliveryError } from './port.js'
import { withRedactedErrors } from './redacted.js'

test('a secret that a service repeats is redacted, and the rest of the error stays', async () => {
  const refuse = async () => {
    throw new DeliveryError('later', 'It answered 429: no quota for key s3cret.', { retryAfterMs: 7 })
  }
  const port: ChannelPort = { send: refuse, withdraw: refuse, isPrivate: async () => true }
  const safe = withRedactedErrors(port, async (text) => text.replaceAll('s3cret', '[redacted]'))

  await expect(safe.send(aMessage(), calm)).rejects.toMatchObject({
    message: 'It answered 429: no quota for key [redacted].',
    hope: 'later',
    retryAfterMs: 7,
  })
})
