/** Markdown as agents write it, for a terminal: its marks become styles, its lists and tables are laid out. */

import { printable } from '../../lib/text/printable.js'
import { color, type Style } from './style.js'
import { table } from './table.js'
import { wrap } from './width.js'

/** Without a width (a pipe) the text stays as it is: programs read it. */
export function markdownText(text: string, width: number | null): string {
  if (width === null) return printable(text)
  const lines = printable(text.trimEnd()).split('\n')
  const shown: string[] = []
  for (let at = 0; at < lines.length; ) {
    const { length, rendered } = blockAt(lines, at, width)
    shown.push(...rendered)
    at += length
  }
  return shown.join('\n')
}

interface Block {
  length: number
  rendered: string[]
}

function blockAt(lines: readonly string[], at: number, width: number): Block {
  const line = lines[at] ?? ''
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
  if (fence !== undefined) return codeBlock(lines, at, fence)
  if (isRow(line) && isRule(lines[at + 1])) return tableBlock(lines, at, width)
  return { length: 1, rendered: wrap(lineText(line), width).split('\n') }
}

/** Code is not wrapped: it may be copied. */
function codeBlock(lines: readonly string[], at: number, fence: string): Block {
  const rendered: string[] = []
  let end = at + 1
  while (end < lines.length && !(lines[end] ?? '').trim().startsWith(fence)) {
    rendered.push(`    ${color.cyan(lines[end] ?? '')}`)
    end += 1
  }
  return { length: end + 1 - at, rendered }
}

const isRow = (line: string | undefined) => line !== undefined && line.includes('|')
const isRule = (line: string | undefined) =>
  isRow(line) && /^[\s|:-]+$/.test(line ?? '') && line?.includes('-')

function tableBlock(lines: readonly string[], at: number, width: number): Block {
  let end = at + 2
  while (isRow(lines[end]) && (lines[end] ?? '').trim() !== '') end += 1
  const [head = [], ...rows] = [lines[at] ?? '', ...lines.slice(at + 2, end)].map(cellsOf)
  // Cells are cut into lines, which marks of styles would not survive.
  const columns = head.map((title) => ({ title, minWidth: 6, wraps: true }))
  const text = table(columns, rows, { width })
  return { length: end - at, rendered: text.trimEnd().split('\n') }
}

function cellsOf(row: string): string[] {
  return row
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split('|')
    .map((cell) => inline(cell.trim(), PLAIN))
}

function lineText(line: string): string {
  const heading = /^ {0,3}#{1,6} (.*)$/.exec(line)?.[1]
  if (heading !== undefined) return color.bold(inline(heading.replace(/ #+ *$/, ''), PLAIN))
  if (/^ {0,3}(?:-{3,}|\*{3,}|_{3,}) *$/.test(line)) return color.dim('───')
  const quote = /^ {0,3}> ?(.*)$/.exec(line)?.[1]
  if (quote !== undefined) return `${color.dim('│')} ${inline(quote, STYLED)}`
  const item = /^( *)[-*+] (.*)$/.exec(line)
  if (item) return `${item[1]}• ${taskOf(item[2] ?? '')}`
  return inline(line, STYLED)
}

function taskOf(text: string): string {
  const task = /^\[([ xX])\] (.*)$/.exec(text)
  if (!task) return inline(text, STYLED)
  return `${task[1] === ' ' ? '☐' : '☑'} ${inline(task[2] ?? '', STYLED)}`
}

interface InlineStyles {
  strong: Style
  emphasis: Style
  code: Style
}

const same: Style = (text) => text
const PLAIN: InlineStyles = { strong: same, emphasis: same, code: same }
const STYLED: InlineStyles = { strong: color.bold, emphasis: color.underline, code: color.cyan }

/** Inside a line: code first, since nothing is marked in it. */
function inline(text: string, styles: InlineStyles): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.length > 2 && part.startsWith('`') && part.endsWith('`')
        ? styles.code(part.slice(1, -1))
        : emphasised(part, styles),
    )
    .join('')
}

function emphasised(text: string, { strong, emphasis }: InlineStyles): string {
  return text
    .replaceAll(/\[([^\][]+)\]\(([^()\s]+)\)/g, (_, label: string, url: string) =>
      label === url ? url : `${label} (${url})`,
    )
    .replaceAll(/\*\*([^*]+)\*\*/g, (_, inner: string) => strong(inner))
    .replaceAll(/(?<![\w*])\*([^\s*][^*]*)\*(?![\w*])/g, (_, inner: string) => emphasis(inner))
}
