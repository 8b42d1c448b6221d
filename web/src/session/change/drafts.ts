/** Comments that were written and not sent yet, per session. Kept in the browser, so that closing the page loses none. */

import { useSyncExternalStore } from 'react'
import type { Comment } from '../../../../src/protocol/index.js'

export interface Draft extends Comment {
  key: string
}

const PREFIX = 'signalbox.comments.'
const listeners = new Set<() => void>()
const cache = new Map<string, readonly Draft[]>()

export function draftsOf(sessionId: string): readonly Draft[] {
  const known = cache.get(sessionId) ?? read(sessionId)
  cache.set(sessionId, known)
  return known
}

export function setDrafts(sessionId: string, drafts: readonly Draft[]): void {
  cache.set(sessionId, drafts)
  try {
    if (drafts.length === 0) localStorage.removeItem(PREFIX + sessionId)
    else localStorage.setItem(PREFIX + sessionId, JSON.stringify(drafts))
  } catch {
    // Storage may be disabled: they are kept until the page is closed.
  }
  for (const listener of listeners) listener()
}

export function useDrafts(sessionId: string): readonly Draft[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => draftsOf(sessionId),
  )
}

/** As they are sent. */
export function commentsOf(drafts: readonly Draft[]): Comment[] {
  return drafts.map(({ path, startLine, endLine, isOld, quote, text }) => ({
    path,
    startLine,
    endLine,
    ...(isOld && { isOld }),
    quote,
    text,
  }))
}

function read(sessionId: string): readonly Draft[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(PREFIX + sessionId) ?? '[]')
    return Array.isArray(value) ? (value as Draft[]) : []
  } catch {
    return []
  }
}
