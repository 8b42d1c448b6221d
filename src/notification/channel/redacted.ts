/** A channel whose errors contain no known secret: a program or a service may repeat one that it was given. */

import { type ChannelPort, DeliveryError } from './port.js'

export function withRedactedErrors(
  port: ChannelPort,
  redact: (text: string) => Promise<string>,
): ChannelPort {
  const guard = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error
      const { hope, retryAfterMs } = error
      throw new DeliveryError(hope, await redact(error.message), { retryAfterMs, cause: error })
    }
  }
  const { withdraw } = port
  return {
    send: (message, signal) => guard(port.send(message, signal)),
    isPrivate: (signal) => port.isPrivate(signal),
    ...(withdraw && { withdraw: (message, signal) => guard(withdraw(message, signal)) }),
  }
}
