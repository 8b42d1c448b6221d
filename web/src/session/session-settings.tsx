import { useState } from 'react'
import type { Session } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { errorLabel } from '../i18n/server-text.js'
import { client, useHasRole } from '../store/state.js'
import { ModeOptions } from './mode-options.js'
import { MODES, modelName, modeName } from './session-label.js'

/** Shows and changes the model and permission mode of a session. */
export function SessionSettings({ session }: { session: Session }) {
  const mayAct = useHasRole('operator')
  const [problem, setProblem] = useState('')
  const change = (body: { permissionMode?: Session['permissionMode']; model?: string }) => {
    setProblem('')
    client
      .changeSession({ params: { id: session.id }, body })
      .catch((error: unknown) => setProblem(errorLabel(error)))
  }
  const isReadOnly = !mayAct || session.kind === 'observed' || session.state === 'ended'
  return (
    <>
      {isReadOnly ? (
        <>
          <span title={t('model')}>
            {session.model === null ? t('model.default') : modelName(session.model)}
          </span>
          <span title={t('mode')}>{modeName(session.permissionMode)}</span>
        </>
      ) : (
        <>
          <ModelChoice session={session} onChange={(model) => change({ model })} />
          <select
            className="quiet"
            aria-label={t('mode')}
            value={session.permissionMode}
            onChange={(event) => {
              const permissionMode = MODES.find((mode) => mode === event.target.value)
              if (permissionMode) change({ permissionMode })
            }}
          >
            <ModeOptions />
          </select>
        </>
      )}
      {session.jail && (
        <span
          className="muted"
          title={session.jail.isOn ? t('jail.on') : t('jail.off', { reason: session.jail.reason ?? '' })}
        >
          {session.jail.isOn ? t('tool.jail') : t('jail.none')}
        </span>
      )}
      {problem && <span role="alert">{problem}</span>}
    </>
  )
}

interface ModelChoiceProps {
  session: Session
  onChange(model: string): void
}

/** Loads the models that the CLI offers when the select gets the focus. */
function ModelChoice({ session, onChange }: ModelChoiceProps) {
  const [models, setModels] = useState<readonly { value: string; name: string }[]>([])
  const [hasRequested, setHasRequested] = useState(false)
  const load = async () => {
    if (hasRequested) return
    setHasRequested(true)
    const { value } = await client.inspectSession({ params: { id: session.id, what: 'models' } })
    setModels(readModels(value))
  }
  const selected = session.model ?? ''
  const alternatives = models.filter(({ value }) => value !== selected)
  return (
    <select
      className="quiet"
      aria-label={t('model')}
      value={selected}
      onFocus={() => void load().catch(() => setHasRequested(false))}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value={selected}>{selected === '' ? t('model.default') : modelName(selected)}</option>
      {alternatives.map(({ value, name }) => (
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
