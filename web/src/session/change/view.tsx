import { useEffect, useState } from 'react'
import { patchText, type UndoChanges } from '../../../../src/protocol/index.js'
import { count, number, t } from '../../i18n/i18n.js'
import { replaceQuery, sessionPath, useQueryString } from '../../route.js'
import { setPreference, usePreference } from '../../store/preference.js'
import { client, type OpenSession, useHasRole, useStore } from '../../store/state.js'
import { CopyButton } from '../../ui/copy.js'
import { Icon } from '../../ui/icon.js'
import { useAttempt } from '../../ui/use-attempt.js'
import { useKeys } from '../../ui/use-keys.js'
import { useLoaded } from '../../ui/use-loaded.js'
import { commentsOf, setDrafts, useDrafts } from './drafts.js'
import { Counts, FileDiff } from './file-diff.js'
import { diffQuery, readScope, type Scope, scopeKey, undoBody } from './scope.js'
import { ScopeList } from './scope-list.js'
import { UndoDialog } from './undo-dialog.js'
import { useIsNarrow } from './use-is-narrow.js'
import '../../style/change.css'

/** Files whose lines are shown at first. */
const MAX_OPEN_FILES = 15

/** Changes of the session: choose what to see, read the diff, comment on lines, undo. */
export function ChangesView({ open }: { open: OpenSession }) {
  const { id } = open
  const query = new URLSearchParams(useQueryString())
  const scope = readScope(query.get('show'))
  const file = query.get('file')
  const recorded = open.events.filter(
    ({ type }) => type.startsWith('changes.') || type === 'comments.sent',
  ).length
  return <Changes key={`${id} ${recorded}`} open={open} scope={scope} file={file} />
}

interface ChangesProps {
  open: OpenSession
  scope: Scope
  file: string | null
}

function Changes({ open, scope, file }: ChangesProps) {
  const { id } = open
  const params = { id }
  const [section, setSection] = useState<HTMLElement | null>(null)
  const isNarrow = useIsNarrow(section)
  const mayAct = useHasRole('operator')
  const { isSplit } = usePreference()
  const drafts = useDrafts(id)
  const [undo, setUndo] = useState<{ body: UndoChanges; isRedo: boolean } | null>(null)
  const list = useLoaded(() => client.listChanges({ params }))
  const comments = useLoaded(async () => (await client.listComments({ params })).comments)
  const diff = useLoaded(async () => (await client.getDiff({ params, query: diffQuery(scope) })).diff)
  const key = scopeKey(scope)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another scope is another diff.
  useEffect(() => diff.reload(), [key])
  useShownFile(file, diff.value !== null)
  const isBusy = useStore(({ sessions }) => isFolderBusy(sessions.values(), open.session?.cwd ?? ''))
  const show = (of: Scope) => replaceQuery(sessionPath(id, 'changes'), `?show=${scopeKey(of)}`)
  const changes = list.value?.changes ?? []
  const undoScope = (of: Scope) => {
    const body = undoBody(of)
    const change = of.kind === 'change' ? changes.find((one) => one.id === of.change) : undefined
    const isRedo = change?.source === 'undo' && !change.isRedo
    if (body) setUndo({ body, isRedo })
  }
  useKeys({
    v: () => setPreference({ isSplit: !isSplit }),
    ']': () => focusFile(1),
    '[': () => focusFile(-1),
    ...(mayAct && undoBody(scope) && { u: () => undoScope(scope) }),
  })
  const body = undoBody(scope)
  const files = diff.value?.files ?? []
  const mayUndo = mayAct && body !== null
  return (
    <section
      ref={setSection}
      className={isNarrow ? 'changes narrow' : 'changes'}
      aria-label={t('tab.changes')}
    >
      <ScopeList
        open={open}
        changes={changes}
        scope={scope}
        isNarrow={isNarrow}
        onScope={show}
        onUndo={mayAct ? undoScope : null}
      />
      <div className="changes-main">
        <header className="row changes-head">
          <span className="grow">
            {count('changes.files', diff.value?.totals.files ?? 0)}{' '}
            <Counts
              insertions={diff.value?.totals.insertions ?? 0}
              deletions={diff.value?.totals.deletions ?? 0}
            />
          </span>
          {files.length > 0 && (
            <span className="row">
              {!isNarrow && t('changes.copy_patch')}
              <CopyButton text={patchText(files)} />
            </span>
          )}
          {!isNarrow && (
            <button
              type="button"
              className="plain"
              aria-pressed={isSplit}
              title={`${t('changes.split')} (v)`}
              onClick={() => setPreference({ isSplit: !isSplit })}
            >
              <Icon name="split" /> {t('changes.split')}
            </button>
          )}
          {mayUndo && files.length > 0 && (
            <button type="button" onClick={() => undoScope(scope)}>
              <Icon name="undo" /> {t('changes.undo')}
            </button>
          )}
        </header>
        <Coverage list={list.value} />
        {(list.problem || diff.problem) && <p role="alert">{list.problem || diff.problem}</p>}
        {diff.value && files.length === 0 && <p className="empty">{t('changes.none')}</p>}
        {!diff.value && !diff.problem && <p className="empty">{t('loading')}</p>}
        {files.map((one, index) => (
          <FileDiff
            key={one.path}
            sessionId={id}
            file={one}
            scope={scope}
            isSplit={isSplit && !isNarrow}
            isOpen={index < MAX_OPEN_FILES || one.path === file}
            mayComment={mayAct && open.session?.kind === 'managed' && open.session.state !== 'ended'}
            drafts={drafts.filter(({ path }) => path === one.path)}
            sent={(comments.value ?? []).filter(({ path }) => path === one.path)}
            onUndo={mayUndo ? () => setUndo({ body: { ...body, files: [one.path] }, isRedo: false }) : null}
          />
        ))}
        {diff.value && diff.value.totals.files > files.length && (
          <p className="hint">
            {t('changes.more_files', { n: number(diff.value.totals.files - files.length) })}
          </p>
        )}
      </div>
      {drafts.length > 0 && <SendBar sessionId={id} />}
      {undo && (
        <UndoDialog
          sessionId={id}
          body={undo.body}
          isRedo={undo.isRedo}
          isBusy={isBusy}
          onClose={() => setUndo(null)}
        />
      )}
    </section>
  )
}

/** Shows what undo does not cover, and whether anything is recorded at all. */
function Coverage({ list }: { list: Awaited<ReturnType<typeof client.listChanges>> | null }) {
  if (!list) return null
  const { isOn, reason, maxFileMegabytes, maxIgnoredFiles, maxIgnoredMegabytes } = list.recording
  if (!isOn) return <p role="alert">{t('changes.off', { reason: reason ?? '' })}</p>
  const uncovered = [...new Set(list.changes.flatMap((change) => change.uncovered ?? []))]
  return (
    <details className="coverage">
      <summary className="muted">{t('changes.coverage')}</summary>
      <p className="muted">
        {t('changes.coverage_explained', {
          size: number(maxFileMegabytes),
          files: number(maxIgnoredFiles),
          megabytes: number(maxIgnoredMegabytes),
        })}
      </p>
      {uncovered.length > 0 && <p>{t('changes.uncovered', { files: uncovered.join(', ') })}</p>}
    </details>
  )
}

/** Sends all comments of the session as one message. */
function SendBar({ sessionId }: { sessionId: string }) {
  const drafts = useDrafts(sessionId)
  const send = useAttempt(async (idempotencyKey) => {
    await client.sendComments({
      params: { id: sessionId },
      body: { comments: commentsOf(drafts), idempotencyKey },
    })
    setDrafts(sessionId, [])
  })
  return (
    <div className="send-bar row" role="region" aria-label={t('changes.comments')}>
      <span className="grow">{count('changes.drafts', drafts.length)}</span>
      {send.problem && <span role="alert">{send.problem}</span>}
      <button type="button" onClick={() => setDrafts(sessionId, [])}>
        {t('changes.discard')}
      </button>
      <button type="button" className="primary" disabled={send.isBusy} onClick={send.run}>
        {t('changes.send')}
      </button>
    </div>
  )
}

function isFolderBusy(sessions: Iterable<{ cwd: string; turn: unknown }>, folder: string): boolean {
  const isInside = (one: string, other: string) => one === other || one.startsWith(`${other}/`)
  for (const { cwd, turn } of sessions)
    if (turn !== null && (isInside(cwd, folder) || isInside(folder, cwd))) return true
  return false
}

/** The file that the address names, when its diff is there. */
function useShownFile(file: string | null, isLoaded: boolean): void {
  useEffect(() => {
    if (file !== null && isLoaded) document.getElementById(`file-${file}`)?.scrollIntoView({ block: 'start' })
  }, [file, isLoaded])
}

/** Moves the focus to the next file, or to the one before. */
function focusFile(step: 1 | -1): void {
  const files = [...document.querySelectorAll<HTMLElement>('.file-diff > summary')]
  const at = files.findIndex(
    (summary) =>
      summary === document.activeElement || summary.parentElement?.contains(document.activeElement),
  )
  const next = files[at === -1 ? 0 : at + step]
  next?.focus()
  next?.scrollIntoView({ block: 'start' })
}
