/** JSON for documents: short objects in one line, and shared ones by their name. */

import {
  AUDIT_RECORD,
  EXPLANATION,
  POLICY,
  REQUEST,
  RESOLVED_REQUEST,
  SESSION,
  TERMINAL_SESSION,
  TOKEN,
} from '../../src/protocol/example/value-example.js'

const WIDTH = 110

/** Printed once, and named wherever they are part of an example. */
export const sharedValues: readonly (readonly [string, unknown])[] = Object.entries({
  SESSION,
  REQUEST,
  RESOLVED_REQUEST,
  EXPLANATION,
  POLICY,
  TOKEN,
  AUDIT_RECORD,
  TERMINAL_SESSION,
})

export function nameOfShared(value: unknown): string | null {
  return sharedValues.find(([, shared]) => shared === value)?.[0] ?? null
}

type NameOf = (value: unknown) => string | null

export function printJson(value: unknown, nameOf: NameOf = () => null, indent = ''): string {
  const short = printLine(value, nameOf)
  if (indent.length + short.length <= WIDTH || typeof value !== 'object' || value === null) return short
  const inner = `${indent}  `
  const lines = Array.isArray(value)
    ? value.map((item) => `${inner}${printJson(item, nameOf, inner)}`)
    : Object.entries(value).map(
        ([key, item]) => `${inner}${JSON.stringify(key)}: ${printJson(item, nameOf, inner)}`,
      )
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`
}

function printLine(value: unknown, nameOf: NameOf): string {
  const name = nameOf(value)
  if (name !== null) return name
  if (Array.isArray(value)) return `[${value.map((item) => printLine(item, nameOf)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const parts = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}: ${printLine(item, nameOf)}`,
  )
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}
