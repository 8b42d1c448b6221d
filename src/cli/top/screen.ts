/** Draws lines on a terminal, and writes only those that have changed. */

import { PASTE_OFF, PASTE_ON } from './key.js'

/** The alternate screen, no cursor, no wrapping at the last column. */
const ENTER = `\u001b[?1049h\u001b[?25l\u001b[?7l${PASTE_ON}`
/** Emptied first: tmux shows what a grown screen has more than the one before it. */
const LEAVE = `${PASTE_OFF}\u001b[0m\u001b[H\u001b[2J\u001b[?7h\u001b[?25h\u001b[?1049l`

export interface Screen {
  draw(lines: readonly string[]): void
  /** The next drawing writes every line, as after a change of the size. */
  forget(): void
  /** Gives the terminal back as it was, until `enter`. Only the first call writes. */
  leave(): void
  /** Takes it again, after the program was suspended. */
  enter(): void
}

export function openScreen(write: (text: string) => void): Screen {
  let shown: readonly string[] | null = null
  let hasLeft = true
  const enter = () => {
    hasLeft = false
    shown = null
    write(ENTER)
  }
  enter()
  return {
    enter,
    draw(lines) {
      if (hasLeft) return
      const before = shown
      // Erased first: behind a line that fills the row, it would erase the last character.
      const changed = lines.flatMap((line, row) =>
        before?.[row] === line ? [] : [`\u001b[${row + 1};1H\u001b[0m\u001b[K${line}\u001b[0m`],
      )
      if (before === null) changed.unshift('\u001b[2J')
      if (changed.length > 0) write(changed.join(''))
      shown = lines
    },
    forget() {
      shown = null
    },
    leave() {
      if (hasLeft) return
      hasLeft = true
      write(LEAVE)
    },
  }
}
