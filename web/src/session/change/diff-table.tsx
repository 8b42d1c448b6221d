/** The lines of a file, inline or side by side. A line, or several, can be chosen to comment on. */

import { type KeyboardEvent, type ReactNode, useMemo, useState } from 'react'
import type { DiffHunk } from '../../../../src/protocol/index.js'
import { CodeLine } from '../../code/code-line.js'
import { type ColoredLine, markLine } from '../../code/colored-line.js'
import { count, t } from '../../i18n/i18n.js'
import { changedWords, type DiffLine, linesOf, SIGNS } from '../../tool/diff-line.js'
import { useColored } from '../../tool/diff-view.js'
import { splitRows } from './split.js'

const MAX_ROWS = 500

/** A place in a file: lines after the change or, with `isOld`, before it. */
export interface LineRange {
  isOld: boolean
  start: number
  end: number
}

interface DiffTableProps {
  /** Selects the language of the code. */
  path: string
  hunks: readonly DiffHunk[]
  isSplit: boolean
  /** Null: the user cannot comment. */
  chosen: LineRange | null
  onChoose: ((range: LineRange | null) => void) | null
  /** Shown below the last chosen line. */
  children: ReactNode
}

export function DiffTable({ path, hunks, isSplit, chosen, onChoose, children }: DiffTableProps) {
  const lines = useMemo(() => linesOf(hunks), [hunks])
  const parts = useColored(lines, null, path)
  const colored = useMemo(() => new Map(lines.map((line, index) => [line, parts[index]])), [lines, parts])
  const rows = useMemo(
    () => (isSplit ? splitRows(lines) : lines.map((line) => ({ left: line, right: line }))),
    [lines, isSplit],
  )
  const [isWhole, setIsWhole] = useState(false)
  const shown = isWhole ? rows : rows.slice(0, MAX_ROWS)
  const choose = (line: DiffLine, isExtended: boolean) => {
    const place = placeOf(line)
    if (!place || !onChoose) return
    const { isOld, start } = place
    if (!isExtended || !chosen || chosen.isOld !== isOld) return onChoose(place)
    onChoose({ isOld, start: Math.min(chosen.start, start), end: Math.max(chosen.end, start) })
  }
  const cells = { choose: onChoose ? choose : null, chosen, colored }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable.
    <div className="diff whole" role="group" aria-label={t('diff')} tabIndex={0}>
      <table className={isSplit ? 'split' : undefined}>
        <tbody onKeyDown={moveFocus}>
          {shown.map((row, index) => {
            const key = index // The order never changes.
            const isLast = chosen !== null && [row.left, row.right].some((line) => isEndOf(line, chosen))
            return [
              isSplit ? (
                <tr key={key}>
                  <Side line={row.left} side="old" {...cells} />
                  <Side line={row.right} side="fresh" {...cells} />
                </tr>
              ) : (
                <tr key={key} className={rowClass(row.left, chosen)}>
                  <Inline line={row.left} {...cells} />
                </tr>
              ),
              isLast && (
                <tr key={`${key}-comment`} className="comment-row">
                  <td colSpan={isSplit ? 6 : 4}>{children}</td>
                </tr>
              ),
            ]
          })}
        </tbody>
      </table>
      {shown.length < rows.length && (
        <button type="button" className="plain" onClick={() => setIsWhole(true)}>
          {count('more_lines', rows.length - shown.length)}
        </button>
      )}
    </div>
  )
}

interface CellProps {
  choose: ((line: DiffLine, isExtended: boolean) => void) | null
  chosen: LineRange | null
  colored: ReadonlyMap<DiffLine, ColoredLine | undefined>
}

function Inline({ line, choose, colored }: CellProps & { line: DiffLine | null }) {
  if (!line) return null
  return (
    <>
      <td className="number">{line.old}</td>
      <td className="number">
        <LineButton line={line} number={line.fresh} choose={choose} />
      </td>
      <td className="sign">
        <Sign line={line} />
      </td>
      <td className="line">
        <LineText line={line} colored={colored} />
      </td>
    </>
  )
}

function Side({
  line,
  side,
  choose,
  chosen,
  colored,
}: CellProps & { line: DiffLine | null; side: 'old' | 'fresh' }) {
  if (!line) return <td className="void" colSpan={3} aria-hidden="true" />
  const own = side === 'old' && line.kind === 'same' ? null : choose
  const kind = rowClass(line, chosen)
  return (
    <>
      <td className={`number ${kind}`}>
        <LineButton line={line} number={line[side]} choose={own} />
      </td>
      <td className={`sign ${kind}`}>
        <Sign line={line} />
      </td>
      <td className={`line ${kind}`}>
        <LineText line={line} colored={colored} />
      </td>
    </>
  )
}

function LineButton({
  line,
  number,
  choose,
}: Pick<CellProps, 'choose'> & { line: DiffLine; number: number | null }) {
  const shown = number ?? ''
  if (!choose || line.kind === 'gap') return shown
  return (
    <button
      type="button"
      className="line-button"
      aria-label={t('changes.comment_on', { line: number ?? line.old ?? 0 })}
      title={t('changes.comment_hint')}
      onClick={(event) => choose(line, event.shiftKey)}
    >
      <span className="line-number">{shown}</span>
      <span className="plus" aria-hidden="true">
        +
      </span>
    </button>
  )
}

function LineText({ line, colored }: Pick<CellProps, 'colored'> & { line: DiffLine }) {
  const parts = colored.get(line) ?? [{ text: line.text, kind: null }]
  return <CodeLine line={markLine(parts, changedWords(line))} />
}

function Sign({ line: { kind } }: { line: DiffLine }) {
  return (
    <>
      <span aria-hidden="true">{SIGNS[kind]}</span>
      <span className="visually-hidden">
        {kind === 'added' ? t('diff.added') : kind === 'removed' ? t('diff.removed') : ''}
      </span>
    </>
  )
}

/** Arrow keys go from line to line; with Shift they extend the choice. */
function moveFocus(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  if (!(event.target instanceof HTMLElement) || !event.target.matches('.line-button')) return
  const buttons = [...(event.currentTarget.querySelectorAll('.line-button') as NodeListOf<HTMLElement>)]
  const next = buttons[buttons.indexOf(event.target) + (event.key === 'ArrowDown' ? 1 : -1)]
  if (!next) return
  event.preventDefault()
  next.focus()
  if (event.shiftKey) next.dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: true }))
}

/** A removed line has a number only before the change. */
function placeOf({ kind, old, fresh }: DiffLine): LineRange | null {
  if (kind === 'gap') return null
  const isOld = kind === 'removed'
  const number = isOld ? old : fresh
  return number === null ? null : { isOld, start: number, end: number }
}

function isEndOf(line: DiffLine | null, { isOld, end }: LineRange): boolean {
  const place = line && placeOf(line)
  return place !== null && place.isOld === isOld && place.end === end
}

function rowClass(line: DiffLine | null, chosen: LineRange | null): string {
  const place = line && placeOf(line)
  const isChosen =
    place &&
    chosen &&
    place.isOld === chosen.isOld &&
    place.start >= chosen.start &&
    place.start <= chosen.end
  return `${line?.kind ?? ''}${isChosen ? ' chosen-line' : ''}`
}
