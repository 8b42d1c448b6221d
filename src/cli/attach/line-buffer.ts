/** Text that comes piece by piece, given on in whole lines of a terminal: a line below it must stay where it is. */

import { widthOf } from '../output/width.js'

export class LineBuffer {
  #text = ''
  readonly #columns: () => number
  readonly #emit: (line: string) => void

  constructor(columns: () => number, emit: (line: string) => void) {
    this.#columns = columns
    this.#emit = emit
  }

  push(text: string): void {
    const lines = (this.#text + text).split('\n')
    this.#text = lines.pop() ?? ''
    for (const line of lines) this.#emit(line)
    // A paragraph without a line break is shown while it is written, up to its last whole word.
    if (widthOf(this.#text) < this.#columns()) return
    const at = this.#text.lastIndexOf(' ')
    if (at <= 0) return
    this.#emit(this.#text.slice(0, at))
    this.#text = this.#text.slice(at + 1)
  }
}
