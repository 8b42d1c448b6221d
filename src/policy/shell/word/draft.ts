/** A word during expansion: the finished fields, and the field that is being built. */

import { spend } from '../../../lib/step-budget.js'
import { isKnown, UNKNOWN } from '../../file/path.js'
import {
  escapePattern,
  type Field,
  literal,
  type Shape,
  type Span,
  type Stream,
  type Values,
} from '../field.js'

/** `split`: an argument. `whole`: an assignment, a here-string, an operand of `[[`; never split, never globbed. */
export type Manner = 'split' | 'whole'

/** One possible result of the expansion. */
export interface Draft {
  done: Field[]
  text: string
  pattern: string
  isGlob: boolean
  isMany: boolean
  isStarted: boolean
  taint: number
  stream: Stream | null
  isTree: boolean
  isSplit: boolean
  shape: Shape | null
  isFound: boolean
}

export function newDraft(): Draft {
  return {
    done: [],
    text: '',
    pattern: '',
    isGlob: false,
    isMany: false,
    isStarted: false,
    taint: 0,
    stream: null,
    isTree: false,
    isSplit: false,
    shape: null,
    isFound: false,
  }
}

export function unknownDraft(drafts: readonly { taint: number }[]): Draft {
  const taint = drafts.reduce((sum, draft) => sum | draft.taint, 0)
  return { ...newDraft(), text: UNKNOWN, pattern: UNKNOWN, isStarted: true, taint }
}

export function appendText(drafts: Draft[], text: string): Draft[] {
  const pattern = escapePattern(text)
  return drafts.map((draft) => ({
    ...draft,
    text: draft.text + text,
    pattern: draft.pattern + pattern,
    isStarted: true,
    shape: text === '' ? draft.shape : shapeOf(draft, { text }),
  }))
}

/** `separators`: the characters at which an unquoted expansion is split. */
export function appendValues(
  drafts: Draft[],
  { alternatives, list }: Values,
  { isQuoted, separators }: { isQuoted: boolean; separators: string },
): Draft[] {
  const values = list === null ? alternatives : [joined(list)]
  if (list !== null && !isQuoted) return appendList(drafts, list, [0, 0])
  return drafts.flatMap((draft) =>
    values.map((value) => (isQuoted ? appendQuoted(draft, value) : appendSplit(draft, value, separators))),
  )
}

function joined(list: readonly Field[]): Field {
  const [first] = list
  if (first === undefined) return literal('', [0, 0])
  return {
    ...first,
    text: list.map(({ text }) => text).join(' '),
    pattern: null,
    taint: list.reduce((sum, { taint }) => sum | taint, 0),
  }
}

/** A longer text, as from a variable that is appended to itself, becomes unknown. */
const MAX_TEXT = 20_000

export function appendQuoted(draft: Draft, value: Field): Draft {
  spend(4 + value.text.length / 8)
  if (draft.text.length + value.text.length > MAX_TEXT) {
    return { ...unknownDraft([draft, value]), done: draft.done, stream: draft.stream ?? value.stream }
  }
  // Merges adjacent unknown parts.
  const text = draft.text.endsWith(UNKNOWN) && value.text === UNKNOWN ? '' : value.text
  return {
    ...draft,
    text: draft.text + text,
    pattern: draft.pattern + (value.pattern ?? escapePattern(text)),
    isGlob: draft.isGlob || value.pattern !== null,
    isStarted: true,
    taint: draft.taint | value.taint,
    stream: draft.stream ?? value.stream,
    isTree: draft.isTree || value.isTree,
    isSplit: draft.isSplit || value.isSplit === true,
    shape: shapeOf(draft, value),
    isFound: draft.isFound || value.isFound === true,
  }
}

/** A number keeps its shape only alone; with known text around it, it can still be a revision: `HEAD~$n`. */
function shapeOf(draft: Draft, value: { text: string; shape?: Shape }): Shape | null {
  if (draft.text === '' && value.shape !== undefined) return value.shape
  const isShaped =
    (isKnown(draft.text) || draft.shape !== null) && (isKnown(value.text) || value.shape !== undefined)
  return isShaped && !(isKnown(draft.text) && isKnown(value.text)) ? 'revision' : null
}

/** Unquoted: split at the field separators, with globs active. */
function appendSplit(draft: Draft, value: Field, separators: string): Draft {
  if (value.shape === 'number') return appendQuoted(draft, value)
  if (value.shape === 'revision') return { ...appendQuoted(draft, value), isSplit: true }
  if (value.pattern !== null || value.isTree || value.isFound === true)
    return { ...appendQuoted(draft, value), isSplit: true }
  spend(value.text.length / 4)
  const pieces = splitFields(value.text, separators)
  const isSplit = value.text.includes(UNKNOWN)
  let current = ownFields(draft)
  pieces.forEach((piece, index) => {
    if (index > 0) current = { ...endField(current, value.span), taint: value.taint }
    if (piece === '') return
    const isGlob = /[*?[]/.test(piece)
    current = {
      ...current,
      text: current.text + piece,
      pattern: current.pattern + (isGlob ? piece : escapePattern(piece)),
      isGlob: current.isGlob || isGlob,
      isMany: current.isMany || isGlob,
      isStarted: true,
      shape: shapeOf(current, { text: piece }),
    }
  })
  return { ...current, taint: current.taint | value.taint, isSplit: current.isSplit || isSplit }
}

/** An empty first or last piece means that the text starts or ends with a separator. */
function splitFields(text: string, separators: string): string[] {
  if (separators === '' || text === '' || separators.includes(UNKNOWN)) return [text]
  const pieces: string[] = []
  let piece = ''
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (!separators.includes(character)) {
      piece += character
      continue
    }
    pieces.push(piece)
    piece = ''
    // White space around a separator of another kind belongs to that separator.
    let others = isBlank(character) ? 0 : 1
    for (let next = text[at + 1]; next !== undefined && separators.includes(next); next = text[at + 1]) {
      if (!isBlank(next) && ++others > 1) break
      at++
    }
  }
  return [...pieces, piece]
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t' || character === '\n'
}

export function appendList(drafts: Draft[], list: readonly Field[], span: Span): Draft[] {
  return drafts.map((draft) => {
    let current = ownFields(draft)
    list.forEach((value, index) => {
      if (index > 0) current = endField(current, span)
      current = appendQuoted(current, value)
    })
    return current
  })
}

/** A copy of the draft with its own list of fields, to which `endField` adds. */
function ownFields(draft: Draft): Draft {
  spend(1 + draft.done.length / 4)
  return { ...draft, done: [...draft.done] }
}

/** Starts the next field of the same word. */
function endField(draft: Draft, span: Span): Draft {
  spend(16)
  if (draft.isStarted) draft.done.push(finish(draft, span))
  return { ...newDraft(), done: draft.done }
}

export function finishAll(drafts: readonly Draft[], manner: Manner, span: Span): Field[] {
  return drafts.flatMap((draft) =>
    draft.isStarted || manner === 'whole' ? [...draft.done, finish(draft, span)] : draft.done,
  )
}

function finish(
  { text, pattern, isGlob, isMany, taint, stream, isTree, isSplit, isFound, shape }: Draft,
  span: Span,
): Field {
  const field = { text, pattern: isGlob ? pattern : null, taint, stream, isTree, span }
  return {
    ...field,
    ...(isMany && { isMany }),
    ...(isSplit && { isSplit }),
    ...(isFound && { isFound }),
    ...(shape !== null && { shape }),
  }
}
