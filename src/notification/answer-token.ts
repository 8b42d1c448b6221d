/**
 * Answer tokens, carried by the links and buttons of notifications. One answers one request with one of the offered
 * decisions, until the request is resolved or the token expires. Only a digest is stored.
 */

import { randomBytes } from 'node:crypto'
import { isForAdmins } from '../hub/admin-only.js'
import type { Hub } from '../hub/port.js'
import type { Clock } from '../lib/clock.js'
import { digest } from '../lib/digest.js'
import type { IdSource } from '../lib/id.js'
import { HubError } from '../protocol/error.js'
import { type May, mayAtLeast } from '../protocol/notification/user.js'
import type { InboxRequest } from '../protocol/request.js'
import type { Session } from '../protocol/session.js'
import type { RecordChange } from '../store/port/record.js'
import type { Store } from '../store/port.js'
import { isoTime } from './outbox-row.js'

const TOKEN = 'answer-token'
export type OfferedDecision = 'allow' | 'deny'

export interface StoredToken {
  readonly id: string
  readonly requestId: string
  /** Of the input that was shown: an answer applies to it alone. */
  readonly inputDigest: string
  readonly decisions: readonly OfferedDecision[]
  readonly user: string
  readonly channel: string
  readonly expiresAt: number
  /**
   * In a chat: every member can read it, also from the data of the button, so that it counts only with the sender of a
   * press, whom the chat service names.
   */
  readonly isForPresses?: boolean
}

export interface AnswerTokensDeps {
  store: Store
  hub: Hub
  clock: Clock
  ids: IdSource
  lifeMs: number
  /** The rights of the user through the channel now; null if one of them is gone or paused. */
  may(user: string, channel: string): May | null
}

export interface TokenView {
  request: InboxRequest
  session: Session
  decisions: readonly OfferedDecision[]
  user: string
  channel: string
  expiresAt: string
}

const PREFIX = 'sba_'

export class AnswerTokens {
  readonly #deps: AnswerTokensDeps

  constructor(deps: AnswerTokensDeps) {
    this.#deps = deps
  }

  /** One for each recipient and message. Expired ones are deleted on the way. */
  async issue(
    { id: requestId, inputDigest }: InboxRequest,
    { user, channel, isForPresses }: Pick<StoredToken, 'user' | 'channel' | 'isForPresses'>,
    decisions: readonly OfferedDecision[],
  ): Promise<string> {
    const { store, clock, ids, lifeMs } = this.#deps
    const token = `${PREFIX}${randomBytes(32).toString('base64url')}`
    const expiresAt = clock.now() + lifeMs
    const body: StoredToken = {
      id: ids.next('ans'),
      requestId,
      inputDigest,
      decisions,
      user,
      channel,
      expiresAt,
      ...(isForPresses && { isForPresses }),
    }
    const expired = await this.#where((known) => known.expiresAt <= clock.now())
    await store.saveRecords([{ kind: TOKEN, id: digest(token), body }, ...expired], { isPatient: true })
    return token
  }

  /** Shows the request of a token and its offered decisions. Changes nothing. */
  async look(token: string): Promise<TokenView> {
    const known = await this.#find(token)
    if (known.isForPresses) throw invalid()
    const { request, session } = await this.#check(known)
    const { decisions, user, channel, expiresAt } = known
    return { request, session, decisions, user, channel, expiresAt: isoTime(expiresAt) }
  }

  /**
   * Idempotent: the same token with the same decision is one answer, however often it is sent. `presser`: in a chat with
   * several members, the one who pressed the button, whose rights the caller has checked.
   */
  async answer(
    token: string,
    decision: OfferedDecision,
    presser?: { channel: string; who: string },
  ): Promise<InboxRequest> {
    const { hub } = this.#deps
    const known = await this.#find(token)
    // A button works in the chat that it was sent to.
    if (presser ? presser.channel !== known.channel : known.isForPresses) throw invalid()
    if (!known.decisions.includes(decision)) throw invalid()
    const { request } = await this.#check(known)
    return hub.inbox.answer(
      request.id,
      { decision, idempotencyKey: known.id },
      {
        who: presser?.who ?? known.user,
        via: 'channel',
        channel: known.channel,
        role: 'operator',
        credentialId: known.id,
      },
    )
  }

  /** Revokes those of a user, of a channel, or of a request. */
  async revoke(isGone: (token: StoredToken) => boolean): Promise<void> {
    const changes = await this.#where(isGone)
    if (changes.length > 0) await this.#deps.store.saveRecords(changes, { isPatient: true })
  }

  async #where(matches: (token: StoredToken) => boolean): Promise<RecordChange[]> {
    const all = await this.#deps.store.records(TOKEN)
    return all
      .filter(({ body }) => matches(body as StoredToken))
      .map(({ id }) => ({ kind: TOKEN, id, body: null }))
  }

  async #find(token: string): Promise<StoredToken> {
    if (!token.startsWith(PREFIX)) throw invalid()
    // Timing: looked up by its digest, so that the duration reveals nothing about it.
    const known = (await this.#deps.store.record(TOKEN, digest(token))) as StoredToken | null
    if (!known || known.expiresAt <= this.#deps.clock.now()) throw invalid()
    return known
  }

  /** Rights may have been revoked, and the session may have become freer, since the message was sent. */
  async #check({
    requestId,
    inputDigest,
    user,
    channel,
  }: StoredToken): Promise<Pick<TokenView, 'request' | 'session'>> {
    const { hub, may } = this.#deps
    const now = may(user, channel)
    if (now === null || !mayAtLeast(now, 'answer')) throw invalid()
    const request = await hub.inbox.request(requestId)
    const session = await hub.session(request.sessionId)
    if (request.inputDigest !== inputDigest) throw invalid()
    if (isForAdmins(request, session))
      throw new HubError(
        'role_insufficient',
        'Only an admin can answer this request. Open it in the dashboard.',
        {
          needed: 'admin',
          role: 'operator',
        },
      )
    return { request, session }
  }
}

function invalid(): HubError {
  return new HubError(
    'answer_token_invalid',
    'This link or button is not valid any more: it has expired or was revoked. Open the dashboard to answer.',
  )
}
