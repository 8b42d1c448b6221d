/** Highlights the words of a query in an element, whatever React renders there later. */

import { matchesOf, rangesIn } from '../ui/text-range.js'
import { wordPattern } from './word.js'

/** The name that the style sheet uses. */
const NAME = 'search-hit'
const MAX_RANGES = 500

/** Returns a function that removes the highlight. Browsers without the Highlight API only show the frame of the row. */
export function highlightWords(element: Element, query: string): () => void {
  const pattern = wordPattern(query, 'giu')
  if (pattern === null || !('highlights' in CSS)) return () => {}
  const find = (text: string) => matchesOf(text, pattern)
  const update = () => CSS.highlights.set(NAME, new Highlight(...rangesIn(element, find, MAX_RANGES)))
  update()
  // The body of a call is loaded after its row.
  const observer = new MutationObserver(update)
  observer.observe(element, { childList: true, subtree: true, characterData: true })
  return () => {
    observer.disconnect()
    CSS.highlights.delete(NAME)
  }
}
