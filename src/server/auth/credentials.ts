/** Authentication: the token of the home, a token that was created for a user, or a browser that has logged in. */

import { randomBytes } from 'node:crypto'
import { auditEntry } from '../../audit/entry.js'
import type { Clock } from '../../lib/clock.js'
import { digest } from '../../lib/digest.js'
import type { IdSource } from '../../lib/id.js'
import type { AuditEntry } from '../../protocol/audit.js'
import { HubError } from '../../protocol/error.js'
import { OWNER } from '../../protocol/notification/user.js'
import type { Role } from '../../protocol/role.js'
import { isAtLeast } from '../../protocol/role-rank.js'
import type { CreateToken, Token } from '../../protocol/token.js'
import type { Actor } from '../../protocol/value.js'
import type { Credential, Store } from '../../store/port.js'
import { createAttemptLimit } from './attempt-limit.js'

export interface Identity {
  name: string
  role: Role
  /** `home`: the token in the home folder, which has no credential. */
  kind: 'home' | 'token' | 'browser'
  credentialId: string | null
  /** Until when it holds. */
  expiresAt: string | null
  /** The user that it belongs to; null: none that is known. */
  user: string | null
  /** An MCP client with it may answer requests. */
  answersByMcp: boolean
}

export interface LoginCode {
  code: string
  expiresAt: string
}

export interface Credentials {
  /** The identity behind a secret; null if it opens nothing. */
  identify(secret: string): Promise<Identity | null>
  /** A login with it belongs to the credential that created the code, and ends with it; with `user`, to that user. */
  createLoginCode(role?: Role, actor?: Actor, creator?: Identity, user?: string): Promise<LoginCode>
  /** The role and user that a code gives. Does not use it. */
  lookLoginCode(
    code: string,
    address: string,
  ): Pick<Identity, 'name' | 'role' | 'user'> & { expiresAt: string }
  /** Exchanges a code, or a token, for a new secret. `address` is where the attempt comes from. */
  login(
    proof: ({ code: string } | { token: string }) & { device?: string | undefined },
    address: string,
  ): Promise<string>
  logout(identity: Identity): Promise<void>
  /** The secret is returned once and stored as a digest. */
  createToken(command: CreateToken, actor?: Actor): Promise<{ token: Token; secret: string }>
  tokens(): Promise<Token[]>
  /** Revokes it, with the logins that were made with it. */
  revoke(id: string, actor?: Actor): Promise<Token>
  /** Calls the listener with the ids of revoked credentials. The function it returns unsubscribes. */
  onRevoked(listener: (credentialIds: ReadonlySet<string>) => void): () => void
}

const CODE_MS = 10 * 60_000
export const LOGIN_MS = 30 * 24 * 60 * 60_000

export interface CredentialsDeps {
  store: Store
  clock: Clock
  ids: IdSource
  /** The token of the home. */
  token: string
  /** Called with every new secret, so that it is redacted. */
  onSecret?(secret: string): void
}

export function createCredentials({ onSecret = () => {}, ...deps }: CredentialsDeps): Credentials {
  const { store, clock, ids } = deps
  const tokenDigest = digest(deps.token)
  const codes = new Map<string, { identity: Identity; expiresAt: number }>()
  const listeners = new Set<(credentialIds: ReadonlySet<string>) => void>()
  const limit = createAttemptLimit(clock)
  const iso = (time: number) => new Date(time).toISOString()

  const entryOf = (kind: AuditEntry['kind'], subject: string, actor: Actor | undefined): AuditEntry =>
    auditEntry({ at: iso(clock.now()), kind, ...actor, by: 'person', subject, verdict: 'done' })

  // Timing: secrets are compared by their digests, so that the duration reveals nothing about them.
  async function identify(secret: string): Promise<Identity | null> {
    const key = digest(secret)
    if (key === tokenDigest) return ownerAs('admin')
    const credential = await store.credential(key, iso(clock.now()))
    return credential && identityOf(credential)
  }

  const createLoginCode: Credentials['createLoginCode'] = async (
    role = 'admin',
    actor,
    creator = ownerAs('admin'),
    user,
  ) => {
    const code = newSecret(16)
    onSecret(code)
    // The code that the daemon prints when it starts has no actor to audit.
    const subject = user === undefined ? role : `${role} (${user})`
    if (actor) await store.addAudit(entryOf('login_code.created', subject, actor))
    const expiresAt = clock.now() + CODE_MS
    for (const [key, known] of codes) if (known.expiresAt <= clock.now()) codes.delete(key)
    const acting = actingFor(creator, role)
    const identity = user === undefined ? acting : { ...acting, name: user, user }
    codes.set(digest(code), { identity, expiresAt })
    return { code, expiresAt: iso(expiresAt) }
  }

  /** A code works once. */
  function takeCode(code: string): Identity | null {
    const key = digest(code)
    const known = codes.get(key)
    codes.delete(key)
    return known && known.expiresAt > clock.now() ? known.identity : null
  }

  function refuseLimited(address: string): void {
    if (limit.isExceeded(address))
      throw new HubError('login_limited', 'Too many failed logins. Wait one minute, then retry.')
  }

  function badCode(address: string): HubError {
    limit.addFailure(address)
    return new HubError(
      'login_code_invalid',
      'The login code is wrong, used or expired. Get a new one with "signalbox open".',
    )
  }

  const login: Credentials['login'] = async (proof, address) => {
    refuseLimited(address)
    const identity = 'code' in proof ? takeCode(proof.code) : await identify(proof.token)
    if (!identity) throw badCode(address)
    await store.pruneCredentials(iso(clock.now()))
    const secret = newSecret(32)
    onSecret(secret)
    const latest = iso(clock.now() + LOGIN_MS)
    const { name, role, credentialId, expiresAt, user } = identity
    const credential: Credential = {
      id: ids.next('crd'),
      name,
      role,
      kind: 'browser',
      digest: digest(secret),
      createdAt: iso(clock.now()),
      // A login never outlives the token that it was made with.
      expiresAt: expiresAt !== null && expiresAt < latest ? expiresAt : latest,
      parentId: credentialId,
      user,
      device: proof.device ?? null,
      answersByMcp: false,
    }
    const actor: Actor = { who: name, via: 'dashboard', role, credentialId: credential.id }
    const place = proof.device === undefined ? address : `${address}, ${proof.device}`
    await store.addCredential(credential, entryOf('login.created', place, actor))
    return secret
  }

  const createToken: Credentials['createToken'] = async (
    { name, role, expiresAt = null, user = null, answersByMcp = false },
    actor,
  ) => {
    const now = iso(clock.now())
    const known = await store.credentials(now)
    // The audit names the actor by it, so a name must be unique.
    if (name === OWNER || known.some((other) => other.kind === 'token' && other.name === name)) {
      throw new HubError('token_name_taken', `The token name ${name} is taken. Choose another name.`, {
        name,
      })
    }
    if (expiresAt !== null && expiresAt <= now) {
      throw new HubError('request_invalid', 'expiresAt is in the past. Use a later time.')
    }
    if (answersByMcp && !isAtLeast(role, 'operator')) {
      throw new HubError('request_invalid', 'answersByMcp needs the role operator: a viewer answers nothing.')
    }
    const secret = `sbx_${newSecret(32)}`
    onSecret(secret)
    const token = {
      id: ids.next('crd'),
      name,
      role,
      kind: 'token',
      createdAt: now,
      expiresAt,
      user,
      device: null,
      answersByMcp,
    } as const
    const written = { ...token, digest: digest(secret), parentId: null }
    await store.addCredential(
      written,
      entryOf('token.created', `${name} (${role}${answersByMcp ? ', answers over MCP' : ''})`, actor),
    )
    return { token, secret }
  }

  async function remove(id: string, audit: AuditEntry): Promise<void> {
    const gone = new Set(await store.removeCredential(id, audit))
    for (const [key, { identity }] of codes)
      if (identity.credentialId !== null && gone.has(identity.credentialId)) codes.delete(key)
    for (const listener of listeners) listener(gone)
  }

  return {
    identify,
    createLoginCode,
    lookLoginCode(code, address) {
      refuseLimited(address)
      const known = codes.get(digest(code))
      if (!known || known.expiresAt <= clock.now()) throw badCode(address)
      const { name, role, user } = known.identity
      return { name, role, user, expiresAt: iso(known.expiresAt) }
    },
    login,
    createToken,
    async logout({ kind, credentialId, name, role }) {
      if (kind === 'browser' && credentialId !== null)
        await remove(
          credentialId,
          entryOf('login.ended', name, { who: name, via: 'dashboard', role, credentialId }),
        )
    },
    tokens: async () => (await store.credentials(iso(clock.now()))).map(tokenOf),
    async revoke(id, actor) {
      const credential = (await store.credentials(iso(clock.now()))).find((known) => known.id === id)
      if (!credential)
        throw new HubError('token_not_found', `No token ${id}. List them with "signalbox token list".`, {
          tokenId: id,
        })
      const { kind, name } = credential
      await remove(id, entryOf(kind === 'token' ? 'token.revoked' : 'login.ended', name, actor))
      return tokenOf(credential)
    },
    onRevoked(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/**
 * A login with a lower role belongs to another user, and is not audited as the owner. No token can have such
 * a name.
 */
function ownerAs(role: Role): Identity {
  const name = role === 'admin' ? OWNER : `login (${role})`
  return {
    name,
    role,
    kind: 'home',
    credentialId: null,
    expiresAt: null,
    user: role === 'admin' ? OWNER : null,
    answersByMcp: false,
  }
}

/** The audit names the creator of the code, and the login ends with the creator's credential. */
function actingFor(creator: Identity, role: Role): Identity {
  if (creator.credentialId === null) return ownerAs(role)
  return { ...creator, role, name: role === creator.role ? creator.name : `${creator.name} (${role})` }
}

function identityOf({ id, name, role, kind, expiresAt, user, answersByMcp }: Credential): Identity {
  return { name, role, kind, credentialId: id, expiresAt, user, answersByMcp }
}

function tokenOf(credential: Credential): Token {
  const { id, name, role, kind, createdAt, expiresAt, user, device, answersByMcp } = credential
  return { id, name, role, kind, createdAt, expiresAt, user, device, answersByMcp }
}

export function newSecret(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}
