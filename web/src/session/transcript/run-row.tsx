import { type ReactNode, useState } from 'react'
import { count, duration } from '../../i18n/i18n.js'
import { type ToolKind, toolKind } from '../../tool/call.js'
import { Icon } from '../../ui/icon.js'
import { useFound } from './found.js'
import type { Row } from './row.js'
import { callsOf } from './run.js'

/** A folded run of tool calls: what was done, how often and how long it took. */
export function RunRow({ rows, children }: { rows: readonly Row[]; children: ReactNode }) {
  const [chosen, setChosen] = useState<boolean | null>(null)
  const found = useFound()
  const isOpen = chosen ?? rows.some(({ item }) => found.has(item.id))
  return (
    <div className="run">
      <button type="button" className="run-head" aria-expanded={isOpen} onClick={() => setChosen(!isOpen)}>
        <span className="chevron">
          <Icon name="chevron" />
        </span>
        {summaryOf(rows)}
      </button>
      {isOpen && <div className="run-rows">{children}</div>}
    </div>
  )
}

const NAMES = ['read', 'shell', 'find', 'web', 'tool'] as const
type Name = (typeof NAMES)[number]

function summaryOf(rows: readonly Row[]): string {
  const calls = callsOf(rows)
  const names = calls.map(({ name }) => nameOf(toolKind(name)))
  const took = calls.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0)
  const parts = NAMES.flatMap((name) => {
    const times = names.filter((other) => other === name).length
    return times === 0 ? [] : [count(`run.${name}`, times)]
  })
  return [...parts, ...(took > 0 ? [duration(took)] : [])].join(' · ')
}

function nameOf(kind: ToolKind): Name {
  return NAMES.find((name) => name === kind) ?? 'tool'
}
