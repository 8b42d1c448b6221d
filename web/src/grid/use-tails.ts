import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react'
import type { Transcript } from '../../../src/protocol/index.js'
import { client, getState } from '../store/state.js'
import { type TailSource, Tails } from './tails.js'

/** Enough to fill a tile. */
const TAIL_EVENTS = 60

const source: TailSource = {
  async load(id) {
    const session = getState().sessions.get(id) ?? (await client.getSession({ params: { id } })).session
    const after = Math.max(0, session.lastSeq - TAIL_EVENTS)
    return (await client.listEvents({ params: { id }, query: { after, limit: 2 * TAIL_EVENTS } })).events
  },
  async *follow(signal, onLive) {
    const onState = (state: string) => state === 'live' && onLive()
    for await (const { event } of client.events({ signal, onState })) yield event
  },
}

export const TailsContext = createContext<Tails | null>(null)

/** The tails of these sessions, while the component is shown. */
export function useTails(ids: readonly string[]): Tails | null {
  const [tails, setTails] = useState<Tails | null>(null)
  useEffect(() => {
    const opened = new Tails(source)
    setTails(opened)
    return () => opened.close()
  }, [])
  useEffect(() => tails?.show(ids), [tails, ids])
  return tails
}

const NOTHING = () => () => {}

export function useTail(id: string): Transcript | null {
  const tails = useContext(TailsContext)
  return useSyncExternalStore(
    tails ? (listener) => tails.subscribe(id, listener) : NOTHING,
    () => tails?.get(id) ?? null,
  )
}
