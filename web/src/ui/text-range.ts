/** Finds text in an element as the reader sees it: words in which colours or marks begin and end are found all the same. */

/** Elements whose text is separate from the text around them. */
const BLOCKS =
  'address, blockquote, button, dd, div, dt, figcaption, h1, h2, h3, h4, li, p, pre, summary, td, th'

interface Piece {
  node: Node
  /** Where its text begins in the whole text. */
  start: number
}

interface Place {
  index: number
  length: number
}

/** The matches of a pattern with the flag g. */
export function matchesOf(text: string, pattern: RegExp): Place[] {
  return [...text.matchAll(pattern)].map(({ index, 0: { length } }) => ({ index, length }))
}

/** The places that `find` names in the text of the element, at most `limit`. */
export function rangesIn(element: Element, find: (text: string) => readonly Place[], limit: number): Range[] {
  const { text, pieces } = textOf(element)
  const ranges: Range[] = []
  let at = 0
  for (const { index, length } of find(text)) {
    while ((pieces[at + 1]?.start ?? Number.POSITIVE_INFINITY) <= index) at += 1
    let end = at
    while ((pieces[end + 1]?.start ?? Number.POSITIVE_INFINITY) < index + length) end += 1
    const [first, last] = [pieces[at], pieces[end]]
    if (!first || !last) break
    const range = new Range()
    range.setStart(first.node, index - first.start)
    range.setEnd(last.node, index + length - last.start)
    if (ranges.push(range) === limit) break
  }
  return ranges
}

function textOf(element: Element): { text: string; pieces: Piece[] } {
  const pieces: Piece[] = []
  let text = ''
  let block: Element | null = null
  const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode()) {
    const own = node.parentElement?.closest(BLOCKS) ?? null
    // No match goes from one block into another.
    if (own !== block && text !== '') text += '\0'
    block = own
    pieces.push({ node, start: text.length })
    text += node.nodeValue ?? ''
  }
  return { text, pieces }
}
