/**
 * Adds our entries to the text of a settings file, and removes them. Everything else stays unchanged, byte for byte.
 */

import { type Node, parseTree } from 'jsonc-parser'
import { type HookCommand, type HookPoint, hookGroup, isOurHook } from './hook-entry.js'

/** Formatting of the file, so that added text matches it. */
interface Style {
  lineEnd: string
  indent: string
  /** Everything on one line. */
  isCompact: boolean
}

/** Adds our hook at each point. The text must be valid and must not contain our hook yet. */
export function addHooks(text: string, points: readonly HookPoint[], command: HookCommand): string {
  const groups = new Map<string, unknown[]>()
  for (const point of points) {
    groups.set(point.event, [...(groups.get(point.event) ?? []), hookGroup(point, command)])
  }
  if (text.trim() === '') return `${JSON.stringify({ hooks: Object.fromEntries(groups) }, null, 2)}\n`
  let result = text
  if (!hooksOf(result)) return insertMember(result, rootOf(result), 'hooks', Object.fromEntries(groups))
  for (const [event, added] of groups) {
    const hooks = hooksOf(result)
    const list = hooks && memberOf(hooks, event)
    if (!hooks) break
    if (!list) result = insertMember(result, hooks, event, added)
    else for (const group of added) result = insertElement(result, event, group)
  }
  return result
}

/** Removes our entries, or those that match `isUnwanted`, and containers that are empty then. */
export function removeHooks(text: string, isUnwanted: (hook: unknown) => boolean = isOurHook): string {
  let result = text
  for (;;) {
    const node = findRemovable(result, isUnwanted)
    if (!node) return result
    result = removeNode(result, node)
  }
}

function rootOf(text: string): Node {
  const root = parseTree(text)
  if (!root) throw new Error('The text holds no value.')
  return root
}

function hooksOf(text: string): Node | undefined {
  return text.trim() === '' ? undefined : memberOf(rootOf(text), 'hooks')
}

function memberOf(object: Node, name: string): Node | undefined {
  return object.children?.find((property) => property.children?.[0]?.value === name)?.children?.[1]
}

function insertMember(text: string, object: Node, name: string, value: unknown): string {
  return insert(text, object, (style, indent) => {
    const colon = style.isCompact && !/"\s*: /.test(text) ? ':' : ': '
    return `${JSON.stringify(name)}${colon}${format(value, style, indent)}`
  })
}

function insertElement(text: string, event: string, group: unknown): string {
  const hooks = hooksOf(text)
  const list = hooks && memberOf(hooks, event)
  return list ? insert(text, list, (style, indent) => format(group, style, indent)) : text
}

/** Adds a child at the end of an object or list. */
function insert(text: string, container: Node, write: (style: Style, indent: string) => string): string {
  const style = styleOf(text)
  const children = container.children ?? []
  const last = children.at(-1)
  const inside = text.slice(
    container.offset + 1,
    children[0]?.offset ?? container.offset + container.length - 1,
  )
  if (last) {
    const at = last.offset + last.length
    if (!inside.includes('\n')) {
      const separator = style.isCompact && !/[,:] /.test(text) ? ',' : ', '
      return splice(text, at, 0, `${separator}${write({ ...style, isCompact: true }, '')}`)
    }
    const indent = inside.slice(inside.lastIndexOf('\n') + 1)
    return splice(text, at, 0, `,${style.lineEnd}${indent}${write(style, indent)}`)
  }
  if (style.isCompact) return splice(text, container.offset + 1, 0, write(style, ''))
  const outer = indentAt(text, container.offset)
  const indent = outer + style.indent
  const closing = inside.includes('\n') ? '' : `${style.lineEnd}${outer}`
  return splice(text, container.offset + 1, 0, `${style.lineEnd}${indent}${write(style, indent)}${closing}`)
}

function format(value: unknown, style: Style, indent: string): string {
  if (style.isCompact) return JSON.stringify(value)
  return JSON.stringify(value, null, style.indent).replaceAll('\n', `${style.lineEnd}${indent}`)
}

function styleOf(text: string): Style {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const indent = /[{[][ \t\r]*\n([ \t]+)/.exec(text)?.[1] ?? '  '
  const body = text.trim()
  // `{}` does not show how the user formats the file, so it becomes multi-line.
  const isCompact = !body.includes('\n') && !/^\{\s*\}$/.test(body)
  return { lineEnd, indent, isCompact }
}

/** Indentation of the line that contains the offset. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}

function splice(text: string, at: number, length: number, inserted: string): string {
  return text.slice(0, at) + inserted + text.slice(at + length)
}

/** The first node to remove: an unwanted hook, or a container that became empty. */
function findRemovable(text: string, isUnwanted: (hook: unknown) => boolean): Node | null {
  const hooks = hooksOf(text)
  for (const property of hooks?.children ?? []) {
    const list = property.children?.[1]
    if (list?.type !== 'array') continue
    for (const group of list.children ?? []) {
      const entries = (group.type === 'object' && memberOf(group, 'hooks')?.children) || []
      const unwanted = entries.filter((entry) => isUnwanted({ command: memberOf(entry, 'command')?.value }))
      if (unwanted.length === 0) continue
      if (unwanted.length < entries.length) return unwanted[0] ?? null
      if ((list.children?.length ?? 0) > 1) return group
      if ((hooks?.children?.length ?? 0) > 1) return property
      return hooks?.parent ?? null
    }
  }
  return null
}

/** Removes a child of an object or list, with its comma. */
function removeNode(text: string, node: Node): string {
  const siblings = node.parent?.children ?? []
  const index = siblings.findIndex((sibling) => sibling.offset === node.offset)
  const before = siblings[index - 1]
  const after = siblings[index + 1]
  if (before) {
    const at = before.offset + before.length
    return splice(text, at, node.offset + node.length - at, '')
  }
  if (after) return splice(text, node.offset, after.offset - node.offset, '')
  const { offset = node.offset, length = node.length } = node.parent ?? {}
  return splice(text, offset + 1, length - 2, '')
}
