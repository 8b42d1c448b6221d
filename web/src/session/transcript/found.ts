/** The row that a search has found, and the rows that it is in: they are open, however they were folded. */

import { createContext, useContext } from 'react'

export const NOTHING: ReadonlySet<string> = new Set()

export const FoundContext = createContext<ReadonlySet<string>>(NOTHING)

export function useFound(): ReadonlySet<string> {
  return useContext(FoundContext)
}
