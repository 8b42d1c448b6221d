import { type FormEvent, type KeyboardEvent, useState } from 'react'
import type { Comment, SentComment } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { printable } from '../../ui/printable.js'

/** A comment on the chosen lines. It is sent later, together with the others. */
export function CommentForm({ onAdd, onCancel }: { onAdd(text: string): void; onCancel(): void }) {
  const [text, setText] = useState('')
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (text.trim() !== '') onAdd(text.trim())
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit()
    if (event.key === 'Escape') {
      event.stopPropagation()
      onCancel()
    }
  }
  return (
    <form className="comment-form" onSubmit={submit}>
      <label>
        <span className="visually-hidden">{t('changes.comment')}</span>
        <textarea
          // biome-ignore lint/a11y/noAutofocus: it was opened to be written into.
          autoFocus
          rows={3}
          value={text}
          maxLength={20_000}
          placeholder={t('changes.comment_placeholder')}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKey}
        />
      </label>
      <div className="row end">
        <span className="hint grow">Ctrl+Enter</span>
        <button type="button" onClick={onCancel}>
          {t('cancel')}
        </button>
        <button type="submit" className="primary" disabled={text.trim() === ''}>
          {t('changes.comment_add')}
        </button>
      </div>
    </form>
  )
}

interface CommentNoteProps {
  comment: Comment | SentComment
  /** Of a draft. */
  onRemove?: () => void
}

/** A comment with its place and its state: not sent, open or resolved. */
export function CommentNote({ comment, onRemove }: CommentNoteProps) {
  const { startLine, endLine, text, isOld } = comment
  const lines = startLine === endLine ? String(startLine) : `${startLine}–${endLine}`
  const state = 'isResolved' in comment ? (comment.isResolved ? 'resolved' : 'open') : 'draft'
  return (
    <li className={`comment-note ${state}`}>
      <span className="badge">{t(`changes.comment.${state}`)}</span>
      <span className="muted">
        {t(isOld ? 'changes.lines_before' : 'changes.lines', { lines })}
        {'by' in comment && ` · ${printable(comment.by.who)}`}
      </span>
      <span className="grow">{printable(text)}</span>
      {onRemove && (
        <button type="button" className="plain" onClick={onRemove}>
          {t('remove')}
        </button>
      )}
    </li>
  )
}
