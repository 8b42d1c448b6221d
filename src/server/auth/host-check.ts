/** Keeps other web pages out: which names this server answers to, and from which pages it takes orders. */

import { HubError } from '../../protocol/error.js'

export interface GuardedRequest {
  method: string
  host: string | undefined
  origin: string | undefined
  /** Browsers say how the page that asks is related to this server. */
  fetchSite: string | undefined
  hasBearer: boolean
}

/** A page on another site can have its name resolve to this machine; it cannot change the name in the Host header. */
export function checkHost({ host }: GuardedRequest, allowed: ReadonlySet<string>): void {
  if (host !== undefined && allowed.has(host.toLowerCase())) return
  throw new HubError('host_not_allowed', 'Unknown Host header. Use the address that the daemon printed.')
}

/** CSRF: commands are accepted from our own page, or from a program with a token. */
export function checkOrigin({ method, origin, host, fetchSite, hasBearer }: GuardedRequest): void {
  const isSafe = method === 'GET' || method === 'HEAD'
  const isForeign = fetchSite === 'cross-site' || fetchSite === 'same-site'
  const isOurs = origin === `http://${host}` || origin === `https://${host}`
  if (isForeign || (origin !== undefined && !isOurs) || (!isSafe && origin === undefined && !hasBearer)) {
    throw new HubError(
      'origin_not_allowed',
      'Cross-origin request refused. Programs must send a token; other pages are not served.',
    )
  }
}

/** The names of a server on this machine's loopback. */
export function loopbackHosts(port: number): Set<string> {
  return new Set([`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`])
}

/** Names that were given, as a browser says them: with the port, and without it where a proxy has the usual one. */
export function namedHosts(names: readonly string[], port: number): Set<string> {
  const plain = names.map((name) => name.toLowerCase())
  return new Set(plain.flatMap((name) => (/:\d+$/.test(name) ? [name] : [name, `${name}:${port}`])))
}
