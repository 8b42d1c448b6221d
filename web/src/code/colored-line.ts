/** Coloured code as values: lines of parts, each with the kind of its token. */

/** Kinds that the style sheet knows. */
export type Kind = 'keyword' | 'string' | 'comment' | 'number' | 'title' | 'type' | 'attribute'

export interface Part {
  text: string
  kind: Kind | null
  /** Whether the text is marked, as a changed word of a diff is. */
  isMarked?: boolean
}

export type ColoredLine = readonly Part[]

/** Parts in which tokens may go over several lines, as lines. Their text is unchanged. */
export function splitLines(parts: readonly Part[]): ColoredLine[] {
  const lines: Part[][] = [[]]
  for (const { text, kind } of parts) {
    const [first = '', ...rest] = text.split('\n')
    addTo(lines.at(-1), first, kind)
    for (const line of rest) {
      lines.push([])
      addTo(lines.at(-1), line, kind)
    }
  }
  return lines
}

function addTo(line: Part[] | undefined, text: string, kind: Kind | null): void {
  if (line === undefined || text === '') return
  const last = line.at(-1)
  if (last?.kind === kind) last.text += text
  else line.push({ text, kind })
}

export interface Mark {
  start: number
  end: number
}

/** Marks ranges of a line, whatever tokens they cross. The marks are in order and do not overlap. */
export function markLine(line: ColoredLine, marks: readonly Mark[]): ColoredLine {
  if (marks.length === 0) return line
  let at = 0
  return line.flatMap(({ text, kind }) => {
    const start = at
    at += text.length
    const edges = marks.flatMap((mark) => [mark.start, mark.end]).filter((edge) => edge > start && edge < at)
    return [start, ...edges].map((from, index): Part => {
      const to = edges[index] ?? at
      const isMarked = marks.some((mark) => mark.start <= from && to <= mark.end)
      return { text: text.slice(from - start, to - start), kind, ...(isMarked && { isMarked }) }
    })
  })
}
