import { type FormEvent, useState } from 'react'
import type { Request, Session } from '../../../src/protocol/index.js'
import { Dialog } from '../part/dialog.js'
import { Icon } from '../part/icon.js'
import { Link } from '../part/link.js'
import { printable } from '../part/printable.js'
import { go, sessionPath, TABS, type Tab } from '../route.js'
import { client, useRole } from '../store/state.js'
import { useAttempt } from '../use-attempt.js'
import { useKeys } from '../use-keys.js'
import { compact, count, money, t } from '../word/word.js'
import { doing, lampOf, MODES, modelName, modeName, nameOf } from './session-word.js'

interface HeadingProps {
  session: Session
  request: Request | undefined
  tab: Tab
}

export function Heading({ session, request, tab }: HeadingProps) {
  const tokens =
    session.usage.inputTokens + session.usage.cacheReadInputTokens + session.usage.cacheCreationInputTokens
  return (
    <header className="heading">
      <div className="heading-top">
        <Link to="/" className="button plain icon-only phone-only" aria-label={t('back')}>
          <Icon name="back" />
        </Link>
        <div className="grow">
          <h1 className="cut">{printable(nameOf(session))}</h1>
          <p className="doing-line">
            <span className={`lamp ${lampOf(session)}`} aria-hidden="true" />
            <span className="cut">{printable(doing(session, request))}</span>
          </p>
        </div>
        <Controls session={session} />
      </div>
      {session.completion && (
        <p className={session.completion.success ? 'completion' : 'completion failed'}>
          {t(session.completion.success ? 'agent.completed' : 'agent.not_completed', {
            result: printable(session.completion.result.slice(0, 400)),
          })}
        </p>
      )}
      <div className="heading-facts">
        <code className="cut" title={session.cwd}>
          {printable(session.cwd)}
        </code>
        <Settings session={session} />
        <span className="numbers">
          {session.turns > 0 && (
            <>
              <span>{money(session.costUsd)}</span>
              <span title={t('tokens.explained')}>
                {compact(tokens)} {t('tokens.in')} · {compact(session.usage.outputTokens)} {t('tokens.out')}
              </span>
              <span>{count('turns', session.turns)}</span>
            </>
          )}
        </span>
      </div>
      <nav className="tabs" aria-label={t('tabs')}>
        {TABS.map((name) => (
          <Link
            key={name}
            to={sessionPath(session.id, name)}
            aria-current={name === tab ? 'page' : undefined}
          >
            {t(`tab.${name}`)}
          </Link>
        ))}
      </nav>
    </header>
  )
}

function Settings({ session }: { session: Session }) {
  const mayAct = useRole('operator')
  const [problem, setProblem] = useState('')
  const change = (body: { permissionMode?: Session['permissionMode']; model?: string }) => {
    setProblem('')
    client
      .changeSession({ params: { id: session.id }, body })
      .catch((error: Error) => setProblem(error.message))
  }
  const isFixed = !mayAct || session.kind === 'observed' || session.state === 'ended'
  return (
    <>
      <ModelChoice session={session} isFixed={isFixed} onChange={(model) => change({ model })} />
      <select
        className="quiet"
        aria-label={t('mode')}
        value={session.permissionMode}
        disabled={isFixed}
        onChange={(event) => {
          const permissionMode = MODES.find((mode) => mode === event.target.value)
          if (permissionMode) change({ permissionMode })
        }}
      >
        {MODES.map((mode) => (
          <option key={mode} value={mode}>
            {modeName(mode)}
          </option>
        ))}
      </select>
      {problem && <span role="alert">{problem}</span>}
    </>
  )
}

interface ModelChoiceProps {
  session: Session
  isFixed: boolean
  onChange(model: string): void
}

/** The models that the CLI offers are asked for when somebody wants to choose. */
function ModelChoice({ session, isFixed, onChange }: ModelChoiceProps) {
  const [models, setModels] = useState<readonly { value: string; name: string }[]>([])
  const [isAsked, setIsAsked] = useState(false)
  const load = async () => {
    if (isAsked || isFixed) return
    setIsAsked(true)
    const { value } = await client.inspectSession({ params: { id: session.id, what: 'models' } })
    setModels(readModels(value))
  }
  const own = session.model ?? ''
  const others = models.filter(({ value }) => value !== own)
  return (
    <select
      className="quiet"
      aria-label={t('model')}
      value={own}
      disabled={isFixed}
      onFocus={() => void load().catch(() => setIsAsked(false))}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value={own}>{own === '' ? t('model.default') : modelName(own)}</option>
      {others.map(({ value, name }) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  )
}

function readModels(value: unknown): { value: string; name: string }[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((model: unknown) => {
    const { value: id, displayName } = model as { value?: unknown; displayName?: unknown }
    return typeof id === 'string'
      ? [{ value: id, name: typeof displayName === 'string' ? displayName : id }]
      : []
  })
}

function Controls({ session }: { session: Session }) {
  const mayAct = useRole('operator')
  const [dialog, setDialog] = useState<'stop' | 'rename' | null>(null)
  const params = { id: session.id }
  const interrupt = useAttempt(() => client.interruptSession({ params, body: {} }))
  const resume = useAttempt(() => client.resumeSession({ params, body: {} }))
  const goOn = useAttempt(() => client.resumeSession({ params, body: { continue: true } }))
  const summarise = useAttempt(() => client.compactSession({ params, body: {} }))
  const fork = useAttempt(async () => {
    const { session: copy } = await client.forkSession({ params, body: {} })
    go(sessionPath(copy.id))
  })
  const canInterrupt = mayAct && session.turn !== null && session.kind === 'managed'
  useKeys({ Escape: () => canInterrupt && interrupt.run() })
  if (!mayAct || session.kind === 'observed') return null
  const problem = [interrupt, resume, goOn, fork, summarise].map((attempt) => attempt.problem).find(Boolean)
  return (
    <div className="controls">
      {problem && <span role="alert">{problem}</span>}
      {canInterrupt && (
        <button type="button" disabled={interrupt.isBusy} onClick={interrupt.run} title="Esc">
          <Icon name="pause" /> <span className="button-word">{t('interrupt')}</span>
        </button>
      )}
      {session.isInterrupted && session.state === 'idle' && (
        <button type="button" className="primary" disabled={goOn.isBusy} onClick={goOn.run}>
          <Icon name="play" /> {t('continue')}
        </button>
      )}
      {session.state === 'ended' && (
        <button type="button" className="primary" disabled={resume.isBusy} onClick={resume.run}>
          <Icon name="play" /> {t('resume')}
        </button>
      )}
      <details className="menu">
        <summary className="button plain icon-only" aria-label={t('more')}>
          <Icon name="more" />
        </summary>
        <div className="menu-list">
          <button type="button" className="plain" onClick={() => setDialog('rename')}>
            <Icon name="edit" /> {t('rename')}
          </button>
          <button type="button" className="plain" disabled={fork.isBusy} onClick={fork.run}>
            <Icon name="fork" /> {t('fork')}
          </button>
          <button type="button" className="plain" disabled={summarise.isBusy} onClick={summarise.run}>
            <Icon name="list" /> {t('compact')}
          </button>
          {session.state !== 'ended' && (
            <button type="button" className="plain danger" onClick={() => setDialog('stop')}>
              <Icon name="stop" /> {t('stop')}
            </button>
          )}
        </div>
      </details>
      {dialog === 'stop' && <StopDialog session={session} onClose={() => setDialog(null)} />}
      {dialog === 'rename' && <RenameDialog session={session} onClose={() => setDialog(null)} />}
    </div>
  )
}

function StopDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const stop = useAttempt(async () => {
    await client.stopSession({ params: { id: session.id }, body: {} })
    onClose()
  })
  return (
    <Dialog title={t('stop.title')} onClose={onClose}>
      <p>{t('stop.explained')}</p>
      {stop.problem && <p role="alert">{stop.problem}</p>}
      <div className="row end">
        <button type="button" onClick={onClose}>
          {t('cancel')}
        </button>
        <button type="button" className="danger" disabled={stop.isBusy} onClick={stop.run}>
          {t('stop')}
        </button>
      </div>
    </Dialog>
  )
}

function RenameDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const [title, setTitle] = useState(nameOf(session).slice(0, 200))
  const rename = useAttempt(async () => {
    await client.changeSession({ params: { id: session.id }, body: { title: title.trim() } })
    onClose()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    rename.run()
  }
  return (
    <Dialog title={t('rename')} onClose={onClose}>
      <form className="panel-form" onSubmit={submit}>
        <label>
          {t('title')}
          <input value={title} maxLength={200} onChange={(event) => setTitle(event.target.value)} />
        </label>
        {rename.problem && <p role="alert">{rename.problem}</p>}
        <div className="row end">
          <button type="button" onClick={onClose}>
            {t('cancel')}
          </button>
          <button type="submit" className="primary" disabled={rename.isBusy || title.trim() === ''}>
            {t('save')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
