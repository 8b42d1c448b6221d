/** The part of the store that a runner may use, for the sessions of its own machine. */

import type { Store } from '../port.js'

export interface RunnerStore
  extends Pick<
    Store,
    | 'storage'
    | 'session'
    | 'sessions'
    | 'request'
    | 'requests'
    | 'readSession'
    | 'readAll'
    | 'resumePoints'
    | 'lastPosition'
    | 'recoveredUpTo'
    | 'setRecovered'
    | 'state'
    | 'setState'
    | 'states'
    | 'options'
    | 'addSecrets'
  > {
  /** Of this machine. */
  trustedWorkspaces(): ReturnType<Store['trustedWorkspaces']>
  /** Of this machine. */
  activeSessions(): ReturnType<Store['activeSessions']>
}

/** For a runner in the process of the store. */
export function storeOfMachine(store: Store, machine: string): RunnerStore {
  return {
    storage: store.storage,
    session: (id) => store.session(id),
    sessions: (filter) => store.sessions({ ...filter, machine }),
    request: (id) => store.request(id),
    requests: (filter) => store.requests(filter),
    readSession: (id, filter) => store.readSession(id, filter),
    readAll: (filter) => store.readAll(filter),
    resumePoints: () => store.resumePoints(),
    lastPosition: () => store.lastPosition(),
    recoveredUpTo: () => store.recoveredUpTo(),
    setRecovered: (position) => store.setRecovered(position),
    state: (key) => store.state(key),
    setState: (key, value) => store.setState(key, value),
    states: (prefix) => store.states(prefix),
    options: (id) => store.options(id),
    addSecrets: (id, secrets, source) => store.addSecrets(id, secrets, source),
    trustedWorkspaces: () => store.trustedWorkspaces(machine),
    activeSessions: () => store.activeSessions(machine),
  }
}
