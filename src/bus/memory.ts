/** Hub and runner in one process. */

import { HubError } from '../protocol/error.js'
import type { Bus } from './port.js'

export function createMemoryBus(): Bus {
  let serving: Parameters<Bus['serve']>[0] | null = null
  return {
    async call(command) {
      if (!serving)
        throw new HubError(
          'session_not_driven',
          'Nothing drives sessions here right now. Try again in a moment.',
        )
      await serving(command)
    },
    serve(handle) {
      serving = handle
      return () => {
        if (serving === handle) serving = null
      }
    },
  }
}
