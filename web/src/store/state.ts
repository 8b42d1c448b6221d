/** What the page knows. Views are functions of it; only the files beside this one change it. */

import { useSyncExternalStore } from 'react'
import { type Client, createClient, type StreamState } from '../../../src/client/index.js'
import {
  type About,
  type Answer,
  isAtLeast,
  type Request,
  type Role,
  type SendMessage,
  type Session,
  type SessionEvent,
  type Transcript,
} from '../../../src/protocol/index.js'

/** An answer of this page that the daemon has not confirmed. `held`: it waits for the connection to come back. */
export interface OutgoingAnswer {
  body: Answer
  state: 'sending' | 'unsent'
  /** Whether it is still there when the page has been closed meanwhile. */
  isPersisted: boolean
}

/** A message of this page that waits for the connection to come back. */
export interface UnsentMessage {
  key: string
  sessionId: string
  body: SendMessage
  isPersisted: boolean
}

export interface OpenSession {
  id: string
  session: Session | null
  transcript: Transcript
  /** The stored events that are here, oldest first. */
  events: readonly SessionEvent[]
  /** Whether the log has older events than those that are here. */
  hasOlder: boolean
  isLoadingOlder: boolean
}

export interface State {
  /** `null` until it is known whether this browser is logged in. */
  isLoggedIn: boolean | null
  /** Why a login by link did not work. */
  problem: string
  about: About | null
  connection: StreamState
  /** Whether the lists have been loaded once. */
  isLoaded: boolean
  sessions: ReadonlyMap<string, Session>
  /** What waits for a person. */
  requests: ReadonlyMap<string, Request>
  /** What was answered while this page looked on, newest last. */
  answered: ReadonlyMap<string, Request>
  outgoing: ReadonlyMap<string, OutgoingAnswer>
  unsent: readonly UnsentMessage[]
  open: OpenSession | null
}

export const client: Client = createClient({ url: '' })

let state: State = {
  isLoggedIn: null,
  problem: '',
  about: null,
  connection: 'connecting',
  isLoaded: false,
  sessions: new Map(),
  requests: new Map(),
  answered: new Map(),
  outgoing: new Map(),
  unsent: [],
  open: null,
}
const listeners = new Set<() => void>()

export function getState(): State {
  return state
}

export function setState(part: Partial<State>): void {
  state = { ...state, ...part }
  for (const listener of listeners) listener()
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useStore<Value>(select: (state: State) => Value): Value {
  return useSyncExternalStore(subscribe, () => select(state))
}

/** Whether the person at this page has a role, or a higher one. */
export function useHasRole(needed: Role): boolean {
  const role = useStore(({ about }) => about?.you.role ?? 'viewer')
  return isAtLeast(role, needed)
}
