/** Names with their values, one below the other; a long value goes on below itself. */

import { color } from './style.js'
import { table } from './table.js'

export type Fact = readonly [name: string, value: string]

export function factTable(facts: readonly Fact[], width: number | null): string {
  const columns = [
    { title: '', style: color.dim },
    { title: '', minWidth: 20, wraps: true },
  ]
  return table(columns, facts, { width, hasHead: false })
}
