import { HubError } from '../../../src/protocol/index.js'

/** The connection is lost: the same request can be sent again later. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof HubError && error.code === 'daemon_unreachable'
}
