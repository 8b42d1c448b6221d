/** Who is asking: the token of the home, or a browser that has exchanged a one-time code for a cookie. */

import { randomBytes } from 'node:crypto'
import type { Clock } from '../lib/clock.js'
import { digest } from '../lib/digest.js'
import type { IdSource } from '../lib/id.js'
import { HubError } from '../protocol/error.js'
import type { Role } from '../protocol/role.js'
import type { Store } from '../store/port.js'

export interface Identity {
  name: string
  role: Role
  /** The browser login, where it is one. */
  credentialId: string | null
}

export interface LoginCode {
  code: string
  expiresAt: string
}

export interface Access {
  /** The identity behind a secret; null if it opens nothing. */
  identify(secret: string): Promise<Identity | null>
  createLoginCode(): LoginCode
  /** Exchanges a code, or a token, for a new secret. `address` is where the attempt comes from. */
  login(proof: { code: string } | { token: string }, address: string): Promise<string>
  logout(identity: Identity): Promise<void>
}

const CODE_MS = 10 * 60_000
export const LOGIN_MS = 30 * 24 * 60 * 60_000
const FAILURES_PER_MINUTE = 20

export function createAccess(deps: { store: Store; clock: Clock; ids: IdSource; token: string }): Access {
  const { store, clock, ids } = deps
  const tokenDigest = digest(deps.token)
  const codes = new Map<string, number>()
  const failures = new Map<string, number[]>()
  const iso = (time: number) => new Date(time).toISOString()

  // Secrets are compared by their digests, so that the time it takes tells nothing about them.
  async function identify(secret: string): Promise<Identity | null> {
    const key = digest(secret)
    if (key === tokenDigest) return { name: 'admin', role: 'admin', credentialId: null }
    const credential = await store.credential(key, iso(clock.now()))
    return credential && { name: credential.name, role: credential.role, credentialId: credential.id }
  }

  function createLoginCode(): LoginCode {
    const code = newSecret(16)
    const expiresAt = clock.now() + CODE_MS
    for (const [key, time] of codes) if (time <= clock.now()) codes.delete(key)
    codes.set(digest(code), expiresAt)
    return { code, expiresAt: iso(expiresAt) }
  }

  /** A code works once. */
  function takeCode(code: string): Identity | null {
    const key = digest(code)
    const expiresAt = codes.get(key)
    codes.delete(key)
    return expiresAt !== undefined && expiresAt > clock.now()
      ? { name: 'admin', role: 'admin', credentialId: null }
      : null
  }

  async function login(proof: { code: string } | { token: string }, address: string): Promise<string> {
    const identity = 'code' in proof ? takeCode(proof.code) : await identify(proof.token)
    if (!identity) throw refusal(address)
    await store.pruneCredentials(iso(clock.now()))
    const secret = newSecret(32)
    const { name, role } = identity
    await store.addCredential({
      id: ids.next('crd'),
      name,
      role,
      kind: 'browser',
      digest: digest(secret),
      createdAt: iso(clock.now()),
      expiresAt: iso(clock.now() + LOGIN_MS),
    })
    return secret
  }

  /** Only failures count, so that nobody is locked out by somebody else's guesses while they have the right secret. */
  function refusal(address: string): HubError {
    const since = clock.now() - 60_000
    const recent = [...(failures.get(address) ?? []).filter((time) => time > since), clock.now()]
    failures.set(address, recent)
    if (recent.length > FAILURES_PER_MINUTE) {
      return new HubError('login_limited', 'Too many failed logins. Wait a minute and try again.')
    }
    return new HubError(
      'login_code_invalid',
      'This code is wrong, used up or too old. Get a new one with "signalbox open".',
    )
  }

  return {
    identify,
    createLoginCode,
    login,
    async logout({ credentialId }) {
      if (credentialId !== null) await store.removeCredential(credentialId)
    },
  }
}

export function newSecret(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}
