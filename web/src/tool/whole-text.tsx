import { Fragment, useMemo, useState } from 'react'
import { CodeLine } from '../code/code-line.js'
import type { ColoredLine } from '../code/colored-line.js'
import type { Language } from '../code/language.js'
import { useCodeLines } from '../code/use-code.js'
import { t } from '../i18n/i18n.js'
import { CopyButton } from '../ui/copy.js'
import { Dialog } from '../ui/dialog.js'
import { parseAnsi } from './ansi.js'

const BLOCK_LINES = 200

interface WholeTextProps {
  text: string
  /** Null: the output of a command, or a file in no language that is known. */
  language?: Language | null
}

/** Opens a long text in a dialog of its own, without a box that scrolls inside another. */
export function WholeText({ text, language = null }: WholeTextProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button type="button" className="plain open-whole" onClick={() => setIsOpen(true)}>
        {t('output.whole')}
      </button>
      {isOpen && (
        <Dialog title={t('output.title')} isWide onClose={() => setIsOpen(false)}>
          <Blocks text={text} language={language} />
          <div className="row end">
            <CopyButton text={text} />
            <button type="button" onClick={() => setIsOpen(false)}>
              {t('close')}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}

/** In blocks, of which the browser lays out only the visible ones. */
function Blocks({ text, language }: Required<WholeTextProps>) {
  const plain = useMemo(
    () =>
      parseAnsi(text)
        .map((part) => part.text)
        .join(''),
    [text],
  )
  const lines = useCodeLines(plain, language)
  const blocks = useMemo(() => blocksOf(lines), [lines])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable.
    <div className="whole-text" tabIndex={0}>
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
        <pre key={index} style={{ containIntrinsicBlockSize: `auto ${block.length * 1.4}em` }}>
          {block.map((line, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
            <Fragment key={place}>
              {place > 0 && '\n'}
              <CodeLine line={line} />
            </Fragment>
          ))}
        </pre>
      ))}
    </div>
  )
}

function blocksOf(lines: readonly ColoredLine[]): (readonly ColoredLine[])[] {
  return Array.from({ length: Math.ceil(lines.length / BLOCK_LINES) }, (_, place) =>
    lines.slice(place * BLOCK_LINES, (place + 1) * BLOCK_LINES),
  )
}
