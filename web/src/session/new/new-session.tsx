import { type FormEvent, type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { PermissionMode } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { navigate, sessionPath } from '../../route.js'
import { client, useHasRole, useStore } from '../../store/state.js'
import { Icon } from '../../ui/icon.js'
import { useAttempt } from '../../ui/use-attempt.js'
import { contentBlocks, ImageInput, Thumbnails, useImages } from '../composer/attachment.js'
import { ModeOptions } from '../mode-options.js'
import { MODES, modelName } from '../session-label.js'
import { Trust } from './trust.js'

const SUGGESTIONS = ['Write a haiku into a file', 'Run a command', 'Ask me a question']

/** Required to restore files to a message. */
const OPTIONS = { enableFileCheckpointing: true }

export function NewSession() {
  const about = useStore((state) => state.about)
  const sessions = useStore((state) => state.sessions)
  const mayAct = useHasRole('operator')
  const [typedFolder, setTypedFolder] = useState<string | null>(null)
  const [prompt, setPrompt] = useState('')
  const [model, setModel] = useState('')
  const [mode, setMode] = useState<PermissionMode | ''>('')
  const { images, ...attachments } = useImages()
  const folders = useMemo(() => recent([...sessions.values()].map(({ cwd }) => cwd)), [sessions])
  const models = useMemo(
    () => recent([...sessions.values()].flatMap((session) => Object.keys(session.modelUsage))),
    [sessions],
  )
  const cwd = typedFolder ?? folders[0] ?? about?.sampleWorkspace ?? ''

  const isMounted = useRef(true)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  const start = useAttempt(async (idempotencyKey) => {
    const chosen = { ...(model !== '' && { model }), ...(mode !== '' && { permissionMode: mode }) }
    const first = images.length === 0 ? { prompt } : {}
    const { session } = await client.createSession({
      body: { cwd, ...first, ...chosen, options: OPTIONS, idempotencyKey },
    })
    if (images.length > 0) {
      await client.sendMessage({
        params: { id: session.id },
        body: { content: contentBlocks(prompt, images), idempotencyKey: `${idempotencyKey}-message` },
      })
    }
    // The user may have navigated away while the request was pending.
    if (isMounted.current) navigate(sessionPath(session.id))
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    start.run()
  }
  const problem = start.problem || attachments.problem
  if (!mayAct) return <p className="empty">{t('new.not_allowed')}</p>

  return (
    <div className="page narrow">
      <header>
        <h1>{t('new.title')}</h1>
        <p>{t('new.explained')}</p>
      </header>
      <form className="card panel" onSubmit={submit}>
        <label>
          {t('new.prompt')}
          <textarea
            rows={5}
            value={prompt}
            onChange={(event) => setPrompt(event.target.value)}
            onKeyDown={startOnKey}
            onPaste={attachments.onPaste}
            placeholder={t('new.prompt_hint')}
          />
        </label>
        <Thumbnails images={images} onRemove={attachments.remove} />
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
        <SuggestField
          label={t('new.folder')}
          value={cwd}
          placeholder="/path/to/your/project"
          suggestions={folders}
          onChange={setTypedFolder}
        />
        <Trust path={cwd} />
        <div className="two-columns">
          <SuggestField
            label={t('model')}
            value={model}
            placeholder={t('model.default')}
            suggestions={['opus', 'sonnet', 'haiku', ...models]}
            nameOf={modelName}
            onChange={setModel}
          />
          <label>
            {t('mode')}
            <select
              value={mode}
              onChange={(event) => setMode(MODES.find((name) => name === event.target.value) ?? '')}
            >
              <option value="">{t('mode.unset')}</option>
              <ModeOptions />
            </select>
          </label>
        </div>
        {problem && <p role="alert">{problem}</p>}
        <div className="row">
          <label className="button">
            <Icon name="image" /> {t('image.add')}
            <ImageInput onAdd={attachments.add} />
          </label>
          <span className="grow" />
          <button
            type="submit"
            className="primary"
            disabled={start.isBusy || (prompt.trim() === '' && images.length === 0) || cwd.trim() === ''}
          >
            <Icon name="play" /> {t('new.start')}
          </button>
        </div>
      </form>
    </div>
  )
}

interface SuggestFieldProps {
  label: string
  value: string
  placeholder: string
  suggestions: readonly string[]
  /** A readable name for a suggestion. */
  nameOf?: (value: string) => string
  onChange(value: string): void
}

/** Free text with suggestions. */
function SuggestField({ label, value, placeholder, suggestions, nameOf, onChange }: SuggestFieldProps) {
  const listId = useId()
  return (
    <label>
      {label}
      <input
        value={value}
        list={listId}
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
        placeholder={placeholder}
      />
      <datalist id={listId}>
        {suggestions.map((suggestion) => (
          <option key={suggestion} value={suggestion}>
            {nameOf?.(suggestion)}
          </option>
        ))}
      </datalist>
    </label>
  )
}

function recent(values: readonly string[]): string[] {
  return [...new Set(values.toReversed())].slice(0, 12)
}

/** Ctrl+Enter or ⌘+Enter starts. Enter alone inserts a line break. */
function startOnKey(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit()
}
