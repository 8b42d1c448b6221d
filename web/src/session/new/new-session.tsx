import {
  type ClipboardEvent,
  type FormEvent,
  type KeyboardEvent,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { PermissionMode } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { navigate, sessionPath } from '../../route.js'
import { client, useHasRole, useStore } from '../../store/state.js'
import { Icon } from '../../ui/icon.js'
import { useAttempt } from '../../ui/use-attempt.js'
import { type Attachment, readImages, Thumbnails } from '../composer/attachment.js'
import { ModeOptions } from '../mode-options.js'
import { MODES, modelName } from '../session-label.js'
import { Trust } from './trust.js'

const SUGGESTIONS = ['Write a haiku into a file', 'Run a command', 'Ask me a question']

/** So that files can be put back to before a message. */
const OPTIONS = { enableFileCheckpointing: true }

export function NewSession() {
  const about = useStore((state) => state.about)
  const sessions = useStore((state) => state.sessions)
  const mayAct = useHasRole('operator')
  const [typedFolder, setTypedFolder] = useState<string | null>(null)
  const [prompt, setPrompt] = useState('')
  const [model, setModel] = useState('')
  const [mode, setMode] = useState<PermissionMode | ''>('')
  const [images, setImages] = useState<readonly Attachment[]>([])
  const [problem, setProblem] = useState('')
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
      const words = prompt.trim() === '' ? [] : [{ type: 'text' as const, text: prompt }]
      const blocks = images.map(({ mediaType, data }) => ({
        type: 'image' as const,
        source: { type: 'base64' as const, media_type: mediaType, data },
      }))
      await client.sendMessage({
        params: { id: session.id },
        body: { content: [...words, ...blocks], idempotencyKey: `${idempotencyKey}-message` },
      })
    }
    // Who has gone elsewhere meanwhile is left there.
    if (isMounted.current) navigate(sessionPath(session.id))
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    start.run()
  }
  const attach = async (files: Iterable<File>) => {
    const read = await readImages(files)
    setProblem(read.problem)
    setImages((known) => [...known, ...read.images])
  }
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length > 0) void attach(event.clipboardData.files)
  }
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
            onPaste={onPaste}
            placeholder={t('new.prompt_hint')}
          />
        </label>
        <Thumbnails images={images} onRemove={(id) => setImages(images.filter((image) => image.id !== id))} />
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
        <label>
          {t('new.folder')}
          <input
            value={cwd}
            list="folders"
            spellCheck={false}
            onChange={(event) => setTypedFolder(event.target.value)}
            placeholder="/path/to/your/project"
          />
          <datalist id="folders">
            {folders.map((folder) => (
              <option key={folder} value={folder} />
            ))}
          </datalist>
        </label>
        <Trust path={cwd} />
        <div className="two-columns">
          <label>
            {t('model')}
            <input
              value={model}
              list="models"
              spellCheck={false}
              onChange={(event) => setModel(event.target.value)}
              placeholder={t('model.default')}
            />
            <datalist id="models">
              {['opus', 'sonnet', 'haiku', ...models].map((name) => (
                <option key={name} value={name}>
                  {modelName(name)}
                </option>
              ))}
            </datalist>
          </label>
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
        {(start.problem || problem) && <p role="alert">{start.problem || problem}</p>}
        <div className="row">
          <label className="button">
            <Icon name="image" /> {t('image.add')}
            <input
              type="file"
              className="visually-hidden"
              accept="image/png,image/jpeg,image/gif,image/webp"
              multiple
              onChange={(event) => {
                void attach([...(event.target.files ?? [])])
                event.target.value = ''
              }}
            />
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

function recent(values: readonly string[]): string[] {
  return [...new Set(values.toReversed())].slice(0, 12)
}

/** Enter alone is a new line of the prompt. */
function startOnKey(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit()
}
