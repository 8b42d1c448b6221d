import { useState } from 'react'
import type { ContentBlock } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { CopyButton } from '../../ui/copy.js'
import { Dialog } from '../../ui/dialog.js'
import { Icon } from '../../ui/icon.js'
import { printable } from '../../ui/printable.js'

type Document = Extract<ContentBlock, { type: 'document' }>

/** The files of a message by name. The text of a text file is shown in a dialog. */
export function AttachedFiles({ content }: { content: readonly ContentBlock[] }) {
  const documents = content.flatMap((block) => (block.type === 'document' ? [block] : []))
  if (documents.length === 0) return null
  return (
    <ul className="attached-files">
      {documents.map((document, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the files of a message never change.
        <li key={index}>
          <AttachedFile document={document} />
        </li>
      ))}
    </ul>
  )
}

function AttachedFile({ document: { title, source } }: { document: Document }) {
  const [isOpen, setIsOpen] = useState(false)
  const name = printable(title)
  const chip = (
    <>
      <Icon name="file" /> <span className="truncate">{name}</span>
    </>
  )
  if (source.type !== 'text') return <span className="file-chip">{chip}</span>
  return (
    <>
      <button
        type="button"
        className="file-chip"
        aria-label={t('attach.open', { name })}
        onClick={() => setIsOpen(true)}
      >
        {chip}
      </button>
      {isOpen && (
        <Dialog title={name} isWide onClose={() => setIsOpen(false)}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable. */}
          <div className="whole-text" tabIndex={0}>
            <pre>{printable(source.data)}</pre>
          </div>
          <div className="row end">
            <CopyButton text={source.data} />
            <button type="button" onClick={() => setIsOpen(false)}>
              {t('close')}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
