import { type ClipboardEvent, useEffect, useRef, useState } from 'react'
import { compact, t } from '../../i18n/i18n.js'
import { Icon } from '../../ui/icon.js'
import { printable } from '../../ui/printable.js'
import { type Attachment, readFiles } from './attached-file.js'

/**
 * The files of a message that is being written: chosen, pasted, or dropped anywhere on the page. `problem`: why the last
 * ones were not taken.
 */
export function useAttachments(isDisabled = false) {
  const [attachments, setAttachments] = useState<readonly Attachment[]>([])
  const [problem, setProblem] = useState('')
  const latest = useRef(attachments)
  latest.current = attachments
  const add = async (files: Iterable<File>) => {
    const read = await readFiles(files, latest.current)
    setProblem(read.problems.join(' '))
    setAttachments((known) => [...known, ...read.attachments])
  }
  const isDropping = useDrop(isDisabled, (files) => void add(files))
  return {
    attachments,
    problem,
    isDropping,
    add: (files: Iterable<File>) => void add(files),
    remove: (id: string) => setAttachments((known) => known.filter((attachment) => attachment.id !== id)),
    clear: () => setAttachments([]),
    onPaste: (event: ClipboardEvent) => {
      const { files, types } = event.clipboardData
      if (files.length === 0) return
      // Programs for tables and texts put a picture of the text beside it: the text is meant.
      const isFormatted = types.includes('text/html') || types.includes('text/rtf')
      if (isFormatted && types.includes('text/plain')) return
      event.preventDefault()
      void add([...files])
    },
  }
}

/** Takes files that are dropped on the page. Without it the browser would open the file in place of the page. */
function useDrop(isDisabled: boolean, onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false)
  const latest = useRef(onFiles)
  latest.current = onFiles
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const onDrag = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setIsOver(!isDisabled)
    }
    const onLeave = (event: DragEvent) => {
      // Of the window, not of an element in it.
      if (event.relatedTarget === null) setIsOver(false)
    }
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setIsOver(false)
      if (!isDisabled) latest.current([...(event.dataTransfer?.files ?? [])])
    }
    addEventListener('dragover', onDrag)
    addEventListener('dragleave', onLeave)
    addEventListener('drop', onDrop)
    return () => {
      removeEventListener('dragover', onDrag)
      removeEventListener('dragleave', onLeave)
      removeEventListener('drop', onDrop)
    }
  }, [isDisabled])
  return isOver
}

interface FileInputProps {
  isDisabled?: boolean
  onAdd(files: readonly File[]): void
}

/** File input without a visible part. Place it inside a label that is styled as a button. */
export function FileInput({ isDisabled = false, onAdd }: FileInputProps) {
  return (
    <input
      type="file"
      className="visually-hidden"
      multiple
      disabled={isDisabled}
      onChange={(event) => {
        onAdd([...(event.target.files ?? [])])
        event.target.value = ''
      }}
    />
  )
}

interface AttachmentsProps {
  attachments: readonly Attachment[]
  onRemove(id: string): void
}

export function Attachments({ attachments, onRemove }: AttachmentsProps) {
  if (attachments.length === 0) return null
  return (
    <ul className="thumbnails">
      {attachments.map((attachment) => {
        const { id, name, kind, bytes } = attachment
        return (
          <li key={id}>
            {kind === 'image' ? (
              <img src={`data:${attachment.mediaType};base64,${attachment.data}`} alt={name} />
            ) : (
              <span className="file-chip" title={printable(name)}>
                <Icon name="file" />
                <span className="truncate">{printable(name)}</span>
                <small className="muted">{t('bytes', { n: compact(bytes) })}</small>
              </span>
            )}
            <button
              type="button"
              className="icon-only"
              aria-label={t('attach.remove', { name: printable(name) })}
              onClick={() => onRemove(id)}
            >
              <Icon name="cross" />
            </button>
          </li>
        )
      })}
    </ul>
  )
}
