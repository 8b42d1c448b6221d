import { useMemo, useState } from 'react'
import { t } from '../i18n/i18n.js'
import { parseAnsi } from '../ui/ansi.js'
import { CopyButton } from '../ui/copy.js'
import { Dialog } from '../ui/dialog.js'
import { printable } from '../ui/printable.js'

const BLOCK_LINES = 200

/** Opens a long text in a dialog of its own, without a box that scrolls inside another. */
export function WholeText({ text }: { text: string }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button type="button" className="plain open-whole" onClick={() => setIsOpen(true)}>
        {t('output.whole')}
      </button>
      {isOpen && (
        <Dialog title={t('output.title')} isWide onClose={() => setIsOpen(false)}>
          <Blocks text={text} />
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
function Blocks({ text }: { text: string }) {
  const blocks = useMemo(() => {
    const lines = parseAnsi(text)
      .map((part) => part.text)
      .join('')
      .split('\n')
    const starts = Array.from(
      { length: Math.ceil(lines.length / BLOCK_LINES) },
      (_, place) => place * BLOCK_LINES,
    )
    return starts.map((start) => lines.slice(start, start + BLOCK_LINES))
  }, [text])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable.
    <div className="whole-text" tabIndex={0}>
      {blocks.map((lines, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
        <pre key={index} style={{ containIntrinsicBlockSize: `auto ${lines.length * 1.4}em` }}>
          {printable(lines.join('\n'))}
        </pre>
      ))}
    </div>
  )
}
