/** State of the page. Views are functions of it, and only files in this folder change it. */

import { useSyncExternalStore } from 'react'
import { type Client, createClient, type StreamState } from '../../../src/client/index.js'
import {
  type About,
  type Answer,
  type InboxRequest,
  isAtLeast,
  type Role,
  type SendMessage,
  type Session,
  type SessionEvent,
  type Transcript,
} from '../../../src/protocol/index.js'

/** An answer that the daemon has not confirmed yet. `unsent`: waiting for the connection. */
export interface OutgoingAnswer {
  body: Answer
  state: 'sending' | 'unsent'
  /** Whether it is stored in the browser and survives closing the page. */
  isPersisted: boolean
}

/** A message that is waiting for the connection. */
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
  /** The loaded events, oldest first. */
  events: readonly SessionEvent[]
  /** Whether the log has events before the first loaded one. */
  hasOlder: boolean
  isLoadingOlder: boolean
  /** Whether there is no such session. */
  isMissing?: boolean
}

export interface State {
  /** Null until the first reply of the daemon. */
  isLoggedIn: boolean | null
  /** Error of a login by link. */
  problem: string
  about: About | null
  connection: StreamState
  /** Whether the lists have been loaded at least once. */
  isLoaded: boolean
  sessions: ReadonlyMap<string, Session>
  /** Pending requests. */
  requests: ReadonlyMap<string, InboxRequest>
  /** Requests resolved since the page was opened, newest last. */
  answered: ReadonlyMap<string, InboxRequest>
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

/** Whether the logged-in user has this role or a higher one. */
export function useHasRole(needed: Role): boolean {
  const role = useStore(({ about }) => about?.you.role ?? 'viewer')
  return isAtLeast(role, needed)
}
