/** The query of a view in its address, so that Back and a copied link restore it. */

import { useEffect, useMemo, useRef, useState } from 'react'
import { replaceQuery, useQueryString } from '../route.js'

/** Debounce: browsers limit how often the address may change. */
const PAUSE_MS = 200

export type AddressQuery = Readonly<Record<string, string>>

/** `defaults` has every name; a value that is not in the address is the default. */
export function readQuery<Query extends AddressQuery>(address: string, defaults: Query): Query {
  const params = new URLSearchParams(address)
  const values = Object.keys(defaults).map((name) => [name, params.get(name) ?? defaults[name]])
  // Cast: the names are those of the defaults.
  return Object.fromEntries(values) as Query
}

/** With its question mark; empty if all values are the defaults. */
export function writeQuery<Query extends AddressQuery>(query: Query, defaults: Query): string {
  const given = Object.entries(query).filter(([name, value]) => value !== defaults[name])
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

interface Draft<Query> {
  /** As in the address. */
  query: Query
  /** As typed, a moment earlier. */
  draft: Query
  change(part: Partial<Query>): void
}

/** `path` is the view's own. Values of `typed` names reach the address after a pause, all others at once. */
export function useAddressQuery<Query extends AddressQuery>(
  path: string,
  defaults: Query,
  typed: readonly (keyof Query)[] = [],
): Draft<Query> {
  const address = useQueryString()
  const query = useMemo(() => readQuery(address, defaults), [address, defaults])
  const [draft, setDraft] = useState(query)
  const written = useRef(address)
  const pauseMs = useRef(0)
  useEffect(() => {
    // Changed by a link or by Back, not by this view.
    if (address !== written.current) setDraft(readQuery(address, defaults))
    written.current = address
  }, [address, defaults])
  useEffect(() => {
    const next = writeQuery(draft, defaults)
    const timer = setTimeout(() => {
      written.current = next
      replaceQuery(path, next)
    }, pauseMs.current)
    return () => clearTimeout(timer)
  }, [draft, path, defaults])
  const change = (part: Partial<Query>) => {
    pauseMs.current = typed.some((name) => name in part) ? PAUSE_MS : 0
    setDraft((latest) => ({ ...latest, ...part }))
  }
  return { query, draft, change }
}
