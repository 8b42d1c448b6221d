import { Fragment, memo } from 'react'
import { printable } from '../ui/printable.js'
import type { ColoredLine } from './colored-line.js'
import type { Code } from './use-code.js'

/** One line of code. Lines are compared by identity: those that keep their colours while code streams in are not drawn again. */
export const CodeLine = memo(({ line }: { line: ColoredLine }) =>
  line.map(({ text, kind, isMarked }, index) => {
    const shown = printable(text)
    const colored = kind === null ? shown : <span className={`code-${kind}`}>{shown}</span>
    // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
    return <Fragment key={index}>{isMarked ? <mark>{colored}</mark> : colored}</Fragment>
  }),
)

/** Code in one block. */
export function CodeText({ code: { colored, rest } }: { code: Code }) {
  return (
    <>
      {colored.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
        <Fragment key={index}>
          {index > 0 && '\n'}
          <CodeLine line={line} />
        </Fragment>
      ))}
      {rest !== '' && `${colored.length > 0 ? '\n' : ''}${printable(rest)}`}
    </>
  )
}
