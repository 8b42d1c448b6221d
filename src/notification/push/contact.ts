/** The contact that push services demand of a sender. Pure. */

import { isIP } from 'node:net'

/** Names that only a network of its own knows. Apple looks the name up, and refuses messages if it does not exist. */
const PRIVATE = /^(?:local|lan|internal|intranet|home|corp|arpa|localhost|localdomain|test|example|invalid)$/
/** Reserved for such use (RFC 2606): no owner could be disturbed. */
const FALLBACK = 'https://example.com'

/** The dashboard, if its name is public. */
export function contactFor(dashboard: string): string {
  if (!URL.canParse(dashboard)) return FALLBACK
  const { hostname } = new URL(dashboard)
  const isName = isIP(hostname) === 0 && !hostname.startsWith('[') && hostname.includes('.')
  return isName && !PRIVATE.test(hostname.slice(hostname.lastIndexOf('.') + 1))
    ? `https://${hostname}`
    : FALLBACK
}
