/** Hub and runner in one process: each call is a function call. */

import type { Bus } from '../bus/port.js'
import { storeOfMachine } from '../store/port/runner-store.js'
import type { Store } from '../store/port.js'
import type { HubLink } from './port.js'

export interface HubEnd extends Pick<HubLink, 'machine' | 'journal' | 'agents' | 'checkPolicy'> {
  store: Store
  bus: Bus
}

export function createMemoryLink({ machine, journal, agents, checkPolicy, store, bus }: HubEnd): HubLink {
  return {
    machine,
    journal,
    agents,
    checkPolicy,
    store: storeOfMachine(store, machine),
    serve: (handlers) => bus.serve(handlers),
  }
}
