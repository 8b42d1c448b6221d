import { useState } from 'react'
import { type DiffFile, type DiffHunk, patchOf, type SentComment } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { client } from '../../store/state.js'
import { CopyButton } from '../../ui/copy.js'
import { Icon } from '../../ui/icon.js'
import { Picture } from '../../ui/picture.js'
import { printable } from '../../ui/printable.js'
import { useLoaded } from '../../ui/use-loaded.js'
import { CommentForm, CommentNote } from './comment-form.js'
import { DiffTable, type LineRange } from './diff-table.js'
import { type Draft, draftsOf, setDrafts } from './drafts.js'
import { pictureQuery, type Scope } from './scope.js'

interface FileDiffProps {
  sessionId: string
  file: DiffFile
  scope: Scope
  isSplit: boolean
  /** Whether its lines are shown at first. */
  isOpen: boolean
  mayComment: boolean
  drafts: readonly Draft[]
  sent: readonly SentComment[]
  /** Null: it cannot be undone here. */
  onUndo: (() => void) | null
}

/** One changed file: its header with actions, its lines or pictures, and the comments on it. */
export function FileDiff({
  sessionId,
  file,
  scope,
  isSplit,
  isOpen,
  mayComment,
  drafts,
  sent,
  onUndo,
}: FileDiffProps) {
  const [chosen, setChosen] = useState<LineRange | null>(null)
  const add = (text: string) => {
    if (!chosen) return
    const { start, end, isOld } = chosen
    const quote = quoteOf(file.hunks, chosen)
    const draft = { path: file.path, startLine: start, endLine: end, quote, text, key: crypto.randomUUID() }
    setDrafts(sessionId, [...draftsOf(sessionId), isOld ? { ...draft, isOld } : draft])
    setChosen(null)
  }
  return (
    <details className="file-diff" id={`file-${file.path}`} open={isOpen}>
      <summary>
        <Icon name="chevron" />
        <code className="grow truncate" title={file.path}>
          {file.from !== undefined && <span className="muted">{printable(file.from)} → </span>}
          {printable(file.path)}
        </code>
        <FileBadges file={file} />
        <Counts insertions={file.insertions} deletions={file.deletions} />
      </summary>
      <div className="file-actions row">
        {file.modes && file.modes.before !== file.modes.after && (
          <span className="muted">
            {t('changes.modes', { before: file.modes.before, after: file.modes.after })}
          </span>
        )}
        <span className="grow" />
        {file.hunks.length > 0 && (
          <span className="row">
            {t('changes.copy_patch')} <CopyButton text={patchOf(file)} />
          </span>
        )}
        {onUndo && (
          <button type="button" className="plain" onClick={onUndo}>
            <Icon name="undo" /> {t('changes.undo_file')}
          </button>
        )}
      </div>
      <ul className="comment-list">
        {sent.map((comment) => (
          <CommentNote key={`${comment.messageId}${comment.startLine}${comment.text}`} comment={comment} />
        ))}
        {drafts.map((draft) => (
          <CommentNote
            key={draft.key}
            comment={draft}
            onRemove={() =>
              setDrafts(
                sessionId,
                draftsOf(sessionId).filter(({ key }) => key !== draft.key),
              )
            }
          />
        ))}
      </ul>
      {file.isImage && <Pictures sessionId={sessionId} file={file} scope={scope} />}
      {file.hunks.length > 0 && (
        <DiffTable
          path={file.path}
          hunks={file.hunks}
          isSplit={isSplit}
          chosen={chosen}
          onChoose={mayComment ? setChosen : null}
        >
          <CommentForm onAdd={add} onCancel={() => setChosen(null)} />
        </DiffTable>
      )}
      {file.isTruncated && <p className="hint">{t('changes.truncated')}</p>}
      {file.isBinary && !file.isImage && <p className="hint">{t('changes.binary')}</p>}
      {file.isProtected && file.hunks.length === 0 && <p className="hint">{t('changes.protected')}</p>}
    </details>
  )
}

export function Counts({ insertions, deletions }: { insertions: number | null; deletions: number | null }) {
  if (insertions === null || deletions === null)
    return <span className="change-count">{t('changes.binary_short')}</span>
  return (
    <span className="change-count">
      <span className="added">+{insertions}</span> <span className="removed">−{deletions}</span>
    </span>
  )
}

function FileBadges({ file }: { file: DiffFile }) {
  return (
    <>
      {file.change !== 'changed' && <span className="badge">{t(`changes.kind.${file.change}`)}</span>}
      {file.kind === 'folder' && <span className="badge">{t('changes.folder')}</span>}
      {file.isProtected && <span className="badge amber">{t('changes.protected_short')}</span>}
    </>
  )
}

/** Both versions of a picture. */
function Pictures({ sessionId, file, scope }: { sessionId: string; file: DiffFile; scope: Scope }) {
  const { value } = useLoaded(async () => {
    const load = async (side: 'before' | 'after') => {
      const query = {
        ...pictureQuery(scope),
        file: side === 'before' ? (file.from ?? file.path) : file.path,
        side,
      }
      const { picture } = await client.getChangedPicture({ params: { id: sessionId }, query })
      return picture.data === null ? null : `data:${picture.mediaType};base64,${picture.data}`
    }
    return { before: await load('before'), after: await load('after') }
  })
  return (
    <div className="pictures">
      {(['before', 'after'] as const).map((side) => (
        <figure key={side}>
          <figcaption>{t(`changes.${side}`)}</figcaption>
          {value?.[side] ? (
            <Picture address={value[side]} label={`${file.path}, ${t(`changes.${side}`)}`} />
          ) : (
            <p className="muted">{value ? t('changes.no_picture') : t('loading')}</p>
          )}
        </figure>
      ))}
    </div>
  )
}

/** The chosen lines as they are shown. */
function quoteOf(hunks: readonly DiffHunk[], { isOld, start, end }: LineRange): string {
  const quoted: string[] = []
  for (const hunk of hunks) {
    let at = isOld ? hunk.oldStart : hunk.newStart
    for (const line of hunk.lines) {
      if (line.startsWith('\\') || line.startsWith(isOld ? '+' : '-')) continue
      if (at >= start && at <= end) quoted.push(line.slice(1))
      at += 1
    }
  }
  return quoted.join('\n')
}
