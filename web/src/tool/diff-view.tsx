/** Line diff with colours of the language, and marks on changed words. */

import { memo, useMemo, useState } from 'react'
import { CodeLine } from '../code/code-line.js'
import { type ColoredLine, markLine } from '../code/colored-line.js'
import { languageOfFile } from '../code/language.js'
import { useCodeLines } from '../code/use-code.js'
import { count, t } from '../i18n/i18n.js'
import { printable } from '../ui/printable.js'
import type { Hunk } from './call.js'
import { changedWords, type DiffLine, diffLines, linesOf, SIGNS } from './diff-line.js'

const MAX_LINES = 400

interface DiffViewProps {
  before: string
  after: string
  /** Whether the texts are whole files, so that their lines have numbers. */
  isWhole: boolean
  hunks?: readonly Hunk[]
  /** The name of the file. */
  name: string
}

export function DiffView({ name, before, after, hunks, isWhole: hasNumbers }: DiffViewProps) {
  const lines = useMemo(() => (hunks ? linesOf(hunks) : diffLines(before, after)), [hunks, before, after])
  const colored = useColored(lines, hunks ? null : { before, after }, name)
  const counted = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
  const [isWhole, setIsWhole] = useState(false)
  const shown = isWhole ? lines : lines.slice(0, MAX_LINES)
  return (
    <figure className="change">
      <figcaption>
        <code>{printable(name)}</code>
        <span className="change-count">
          <span className="added">+{counted('added')}</span>{' '}
          <span className="removed">−{counted('removed')}</span>
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable. */}
      <div className="diff" role="group" aria-label={t('diff')} tabIndex={0}>
        <table>
          <tbody>
            {shown.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
              <DiffRow key={index} line={line} colored={colored[index]} hasNumbers={hasNumbers} />
            ))}
          </tbody>
        </table>
        {shown.length < lines.length && (
          <button type="button" className="plain" onClick={() => setIsWhole(true)}>
            {count('more_lines', lines.length - shown.length)}
          </button>
        )}
      </div>
    </figure>
  )
}

interface DiffRowProps {
  line: DiffLine
  colored: ColoredLine | undefined
  hasNumbers: boolean
}

const DiffRow = memo(({ line, colored, hasNumbers }: DiffRowProps) => {
  const marks = useMemo(() => changedWords(line), [line])
  const parts = useMemo(
    () => markLine(colored ?? [{ text: line.text, kind: null }], marks),
    [colored, line, marks],
  )
  return (
    <tr className={line.kind}>
      {hasNumbers && <td className="number">{line.old}</td>}
      {hasNumbers && <td className="number">{line.fresh}</td>}
      <td className="sign">
        <span aria-hidden="true">{SIGNS[line.kind]}</span>
        <span className="visually-hidden">
          {line.kind === 'added' ? t('diff.added') : line.kind === 'removed' ? t('diff.removed') : ''}
        </span>
      </td>
      <td className="line">
        <CodeLine line={parts} />
      </td>
    </tr>
  )
})

interface Sides {
  before: string
  after: string
}

/** Colours for each line. With whole texts they are right even if a comment or a string begins above the lines shown. */
export function useColored(
  lines: readonly DiffLine[],
  sides: Sides | null,
  name: string,
): readonly (ColoredLine | undefined)[] {
  const { before, after } = sides ?? sidesOf(lines)
  const language = languageOfFile(name)
  const old = useCodeLines(before, language)
  const fresh = useCodeLines(after, language)
  const isWhole = sides !== null
  return useMemo(() => {
    if (language === null) return []
    let oldAt = 0
    let freshAt = 0
    return lines.map((line) => {
      const place = {
        old: isWhole ? (line.old ?? 0) - 1 : line.old === null ? -1 : oldAt++,
        fresh: isWhole ? (line.fresh ?? 0) - 1 : line.fresh === null ? -1 : freshAt++,
      }
      return line.kind === 'removed' ? old[place.old] : fresh[place.fresh]
    })
  }, [lines, language, old, fresh, isWhole])
}

function sidesOf(lines: readonly DiffLine[]): Sides {
  const join = (side: 'old' | 'fresh') =>
    lines
      .filter((line) => line[side] !== null)
      .map(({ text }) => text)
      .join('\n')
  return { before: join('old'), after: join('fresh') }
}
