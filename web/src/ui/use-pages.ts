import { useEffect, useRef, useState } from 'react'
import { errorLabel } from '../i18n/server-text.js'

export interface Pages<Query, Item> {
  /** The query that these items answer. */
  query: Query
  items: readonly Item[]
  nextCursor: number | null
}

interface Reply<Item> {
  items: readonly Item[]
  nextCursor: number | null
}

/** Loads the first page when the query changes, and more on request. Null: nothing is asked for, or nothing is there yet. */
export function usePages<Query, Item>(
  query: Query,
  load: (query: Query, cursor: number | null) => Promise<Reply<Item> | null>,
) {
  const [found, setFound] = useState<Pages<Query, Item> | null>(null)
  const [problem, setProblem] = useState('')
  const [isLoading, setIsLoading] = useState(false)
  const wanted = useRef(query)
  const read = async (before: Pages<Query, Item> | null) => {
    wanted.current = query
    setIsLoading(true)
    try {
      const reply = await load(query, before?.nextCursor ?? null)
      // Race: a slow answer to an older query is dropped.
      if (wanted.current !== query) return
      setProblem('')
      setFound(
        reply && {
          query,
          items: [...(before?.items ?? []), ...reply.items],
          nextCursor: reply.nextCursor,
        },
      )
    } catch (error) {
      if (wanted.current === query) setProblem(errorLabel(error))
    } finally {
      if (wanted.current === query) setIsLoading(false)
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads only when the query changes.
  useEffect(() => void read(null), [query])
  return { found, problem, isLoading, more: () => void read(found), reload: () => void read(null) }
}
