/** Highlights the words of a query in an element, whatever React renders there later. */

import { wordPattern } from './word.js'

/** The name that the style sheet uses. */
const NAME = 'search-hit'
const MAX_RANGES = 500

/** Returns a function that removes the highlight. Browsers without the Highlight API only show the frame of the row. */
export function highlightWords(element: Element, query: string): () => void {
  const pattern = wordPattern(query, 'giu')
  if (pattern === null || !('highlights' in CSS)) return () => {}
  const update = () => CSS.highlights.set(NAME, new Highlight(...rangesIn(element, pattern)))
  update()
  // The body of a call is loaded after its row.
  const observer = new MutationObserver(update)
  observer.observe(element, { childList: true, subtree: true, characterData: true })
  return () => {
    observer.disconnect()
    CSS.highlights.delete(NAME)
  }
}

function rangesIn(element: Element, pattern: RegExp): Range[] {
  const ranges: Range[] = []
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    for (const match of (node.nodeValue ?? '').matchAll(pattern)) {
      const range = new Range()
      range.setStart(node, match.index)
      range.setEnd(node, match.index + match[0].length)
      if (ranges.push(range) === MAX_RANGES) return ranges
    }
  }
  return ranges
}
