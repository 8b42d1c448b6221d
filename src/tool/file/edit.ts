/** Applies edits to a text: all of them, or none and the reason. */

export interface Edit {
  old_text: string
  new_text: string
  all_occurrences?: boolean | undefined
}

export type Edited = { text: string; lines: readonly number[] } | { problem: string }

const MAX_PLACES = 10

/** Each edit sees what those before it have made. `text` is null for a file that does not exist. */
export function applyEdits(text: string | null, edits: readonly Edit[]): Edited {
  if (edits.length === 0) return { problem: 'There are no edits.' }
  const lines: number[] = []
  let current = text
  for (const [index, edit] of edits.entries()) {
    const edited = applyEdit(current, edit)
    if ('problem' in edited) {
      const which = edits.length === 1 ? '' : `Edit ${index + 1} of ${edits.length}: `
      return { problem: `${which}${edited.problem} Nothing was changed.` }
    }
    current = edited.text
    lines.push(...edited.lines)
  }
  return { text: current ?? '', lines }
}

function applyEdit(text: string | null, edit: Edit): Edited {
  if (edit.old_text === '') {
    if (text !== null && text !== '')
      return { problem: 'old_text is empty; only a new or empty file is filled so.' }
    return { text: edit.new_text, lines: [1] }
  }
  if (text === null)
    return { problem: 'The file does not exist. To make it, give one edit with an empty old_text.' }
  const toFileBreaks = breakStyle(text)
  const oldText = toFileBreaks(edit.old_text)
  const newText = toFileBreaks(edit.new_text)
  if (oldText === newText) return { problem: 'old_text and new_text are the same.' }
  const places = placesOf(text, oldText)
  const [first] = places
  if (first === undefined) return { problem: `old_text was not found. ${nearest(text, oldText)}` }
  if (edit.all_occurrences) {
    const separate = separatePlaces(places, oldText.length)
    return { text: text.replaceAll(oldText, () => newText), lines: lineNumbers(text, separate) }
  }
  if (places.length > 1) return { problem: ambiguity(text, places) }
  return {
    text: text.slice(0, first) + newText + text.slice(first + oldText.length),
    lines: lineNumbers(text, [first]),
  }
}

/** In a text whose lines all end alike, an edit's lines end like them. A mixed text is taken literally. */
function breakStyle(text: string): (edit: string) => string {
  const crlf = text.includes('\r\n')
  const lf = /(?:^|[^\r])\n/.test(text)
  if (crlf && !lf) return (edit) => edit.replaceAll(/\r?\n/g, '\r\n')
  if (lf && !crlf) return (edit) => edit.replaceAll('\r\n', '\n')
  return (edit) => edit
}

/** Every place, also where one overlaps with another: then it is not clear which is meant. */
function placesOf(text: string, wanted: string): number[] {
  const places: number[] = []
  for (let place = text.indexOf(wanted); place >= 0; place = text.indexOf(wanted, place + 1))
    places.push(place)
  return places
}

function separatePlaces(places: readonly number[], length: number): number[] {
  const separate: number[] = []
  for (const place of places) {
    const last = separate.at(-1)
    if (last === undefined || place >= last + length) separate.push(place)
  }
  return separate
}

function ambiguity(text: string, places: readonly number[]): string {
  const lines = lineNumbers(text, places.slice(0, MAX_PLACES))
  const more = places.length > MAX_PLACES ? ' and more' : ''
  return (
    `old_text was found ${places.length} times, in line ${lines.join(', ')}${more}. ` +
    'Add text around it until it is the only one, or set all_occurrences.'
  )
}

function lineNumbers(text: string, places: readonly number[]): number[] {
  let line = 1
  let seen = 0
  return places.map((place) => {
    for (
      let found = text.indexOf('\n', seen);
      found >= 0 && found < place;
      found = text.indexOf('\n', seen)
    ) {
      line += 1
      seen = found + 1
    }
    return line
  })
}

/** Where the text comes closest, so that the agent need not search. */
function nearest(text: string, wanted: string): string {
  const lines = text.split(/\r?\n/)
  const wantedLines = wanted.split(/\r?\n/)
  const squeezed = squeeze(wanted)
  const inSpace = squeezed === '' ? -1 : lineOfSqueezed(lines, squeezed)
  if (inSpace > 0) return `In line ${inSpace} is text that differs from it only in white space.`
  const first = wantedLines.find((line) => line.trim() !== '')?.trim() ?? ''
  const start = first === '' ? -1 : lines.findIndex((line) => line.includes(first))
  if (start < 0) return 'Read the file again: nothing in it begins like this.'
  const skipped = wantedLines.findIndex((line) => line.trim() !== '')
  const different = wantedLines.findIndex(
    (line, index) => index > skipped && lines[start - skipped + index] !== line,
  )
  const place = different < 0 ? start + 1 : start - skipped + different + 1
  return `Line ${start + 1} begins like it; it differs in line ${place}.`
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** The line in which the text is found if white space does not count; -1 if it is not. */
function lineOfSqueezed(lines: readonly string[], squeezed: string): number {
  const starts: number[] = []
  let joined = ''
  for (const line of lines) {
    const part = squeeze(line)
    starts.push(joined.length)
    if (part !== '') joined += joined === '' ? part : ` ${part}`
  }
  const place = joined.indexOf(squeezed)
  if (place < 0) return -1
  // Of several lines that start at the same place, all but the last are empty.
  return starts.findLastIndex((start) => start <= place) + 1
}
