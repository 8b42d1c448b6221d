/** Search results grouped by session, in the order of their newest hit. */

import type { SearchResult } from '../../../src/protocol/index.js'

export interface ResultGroup {
  sessionId: string
  name: string | null
  cwd: string
  hits: readonly SearchResult[]
}

export function groupResults(results: readonly SearchResult[]): ResultGroup[] {
  const groups = new Map<string, SearchResult[]>()
  for (const result of results) {
    const hits = groups.get(result.sessionId)
    if (hits) hits.push(result)
    else groups.set(result.sessionId, [result])
  }
  return [...groups].flatMap(([sessionId, hits]) => {
    const [newest] = hits
    return newest ? [{ sessionId, name: newest.name, cwd: newest.cwd, hits }] : []
  })
}
