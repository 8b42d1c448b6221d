import { type FormEvent, type KeyboardEvent, lazy, Suspense, useLayoutEffect, useRef, useState } from 'react'
import type { Effort, NewWorktree, PermissionMode } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { navigate, sessionPath } from '../../route.js'
import { rememberPrompt } from '../../store/prompt-history.js'
import { client, useHasRole, useStore } from '../../store/state.js'
import { Icon } from '../../ui/icon.js'
import { useAttempt } from '../../ui/use-attempt.js'
import { EffortPicker } from '../choice/effort-picker.js'
import { ModePicker } from '../choice/mode-picker.js'
import { ModelPicker } from '../choice/model-picker.js'
import { contentBlocks } from '../composer/attached-file.js'
import { Attachments, FileInput, useAttachments } from '../composer/attachment.js'
import { PromptField } from '../composer/prompt-field.js'
import { useDraft } from '../composer/use-draft.js'
import { FolderField, useRecentFolders } from './folder-field.js'
import { Limits, limitOptions } from './limits.js'
import { Trust } from './trust.js'
import { WorktreeField } from './worktree-field.js'

const SavedPrompts = lazy(async () => ({
  default: (await import('../composer/saved-prompts.js')).SavedPrompts,
}))

const SUGGESTIONS = ['Write a haiku into a file', 'Run a command', 'Ask me a question']

export function NewSession() {
  const mayAct = useHasRole('operator')
  return mayAct ? <NewSessionForm /> : <p className="empty">{t('new.not_allowed')}</p>
}

function NewSessionForm() {
  const about = useStore((state) => state.about)
  const recent = useRecentFolders()
  const [typedFolder, setTypedFolder] = useState<string | null>(null)
  const [prompt, setPrompt] = useDraft('new')
  const [model, setModel] = useState('')
  const [effort, setEffort] = useState<Effort | null>(null)
  const [mode, setMode] = useState<PermissionMode>('default')
  const [limits, setLimits] = useState({ budget: '', turns: '' })
  const [worktree, setWorktree] = useState<NewWorktree | null>(null)
  const [showsPrompts, setShowsPrompts] = useState(false)
  const { attachments, ...files } = useAttachments()
  const cwd = typedFolder ?? recent[0]?.path ?? about?.sampleWorkspace ?? ''
  const isEmpty = prompt.trim() === '' && attachments.length === 0

  const isShown = useIsShown()
  const start = useAttempt(async (idempotencyKey) => {
    const { session } = await client.createSession({
      body: {
        cwd,
        ...(attachments.length === 0 && { prompt }),
        ...(model !== '' && { model }),
        ...(mode !== 'default' && { permissionMode: mode }),
        options: {
          ...(effort !== null && { effort }),
          ...limitOptions(limits),
        },
        ...(worktree && { worktree }),
        idempotencyKey,
      },
    })
    if (attachments.length > 0) {
      await client.sendMessage({
        params: { id: session.id },
        body: { content: contentBlocks(prompt, attachments), idempotencyKey: `${idempotencyKey}-message` },
      })
    }
    rememberPrompt({ who: about?.you.name ?? '', sessionId: session.id }, prompt)
    setPrompt('')
    // The user may have navigated away while the request was pending.
    if (isShown.current) navigate(sessionPath(session.id))
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isEmpty) start.run()
  }
  const problem = start.problem || files.problem

  return (
    <div className="page narrow">
      <header>
        <h1>{t('new.title')}</h1>
        <p>{t('new.explained')}</p>
      </header>
      <form className={files.isDropping ? 'card panel dropping' : 'card panel'} onSubmit={submit}>
        <div className="prompt-label">
          <span aria-hidden="true">{t('new.prompt')}</span>
          <PromptField
            text={prompt}
            place={{ sessionId: null, folder: cwd }}
            label={t('new.prompt')}
            placeholder={t('new.prompt_hint')}
            rows={5}
            onText={setPrompt}
            onKeyDown={startOnKey}
            onPaste={files.onPaste}
          />
        </div>
        <Attachments attachments={attachments} onRemove={files.remove} />
        <div className="row prompt-tools">
          <label className="button">
            <Icon name="attach" /> {t('attach')}
            <FileInput onAdd={files.add} />
          </label>
          <button type="button" onClick={() => setShowsPrompts(true)}>
            <Icon name="bookmark" /> {t('prompts')}
          </button>
          <span className="hint">{files.isDropping ? t('attach.drop') : t('composer.hint')}</span>
        </div>
        {about?.model === 'scripted' && (
          <p className="row suggestions">
            <span className="muted">{t('new.try')}</span>
            {SUGGESTIONS.map((text) => (
              <button type="button" className="chip" key={text} lang="en" onClick={() => setPrompt(text)}>
                {text}
              </button>
            ))}
          </p>
        )}
        <FolderField value={cwd} recent={recent} onChange={setTypedFolder} />
        <Trust path={cwd} />
        <WorktreeField cwd={cwd} value={worktree} onChange={setWorktree} onFolder={setTypedFolder} />
        <div className="choices-row">
          <Choice label={t('model')}>
            <ModelPicker value={model} hasDefault onChange={setModel} />
          </Choice>
          <Choice label={t('effort')}>
            <EffortPicker model={model} value={effort} onChange={setEffort} />
          </Choice>
          <Choice label={t('mode')}>
            <ModePicker value={mode} onChange={setMode} />
            <small className="muted">{t(`mode.${mode}.explained`)}</small>
          </Choice>
        </div>
        <Limits values={limits} onChange={setLimits} />
        {problem && <p role="alert">{problem}</p>}
        <div className="row">
          <span className="grow" />
          <button type="submit" className="primary" disabled={start.isBusy || isEmpty || cwd.trim() === ''}>
            <Icon name="play" /> {t('new.start')}
          </button>
        </div>
      </form>
      <Suspense>
        {showsPrompts && (
          <SavedPrompts
            draft={prompt}
            onInsert={(text) => setPrompt(prompt.trim() === '' ? text : `${prompt.trimEnd()}\n\n${text}`)}
            onClose={() => setShowsPrompts(false)}
          />
        )}
      </Suspense>
    </div>
  )
}

/** The picker itself has the label as its name. */
function Choice({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className="choice">
      <span aria-hidden="true">{label}</span>
      {children}
    </div>
  )
}

/** Race: a layout effect, because a view that is hidden while its successor loads is still mounted. */
function useIsShown() {
  const isShown = useRef(true)
  useLayoutEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  return isShown
}

/** Ctrl+Enter or ⌘+Enter starts. Enter alone inserts a line break. */
function startOnKey(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit()
}
