import { useState } from 'react'
import type { Effort, Session } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { errorLabel, reasonLabel } from '../i18n/server-text.js'
import { client, useHasRole } from '../store/state.js'
import { EffortPicker } from './choice/effort-picker.js'
import { ModePicker } from './choice/mode-picker.js'
import { ModelPicker } from './choice/model-picker.js'
import { modelName, modeName } from './session-label.js'

interface Change {
  permissionMode?: Session['permissionMode']
  model?: string
  effort?: Effort | null
}

/** Shows and changes the model, effort and permission mode of a session. */
export function SessionSettings({ session }: { session: Session }) {
  const mayAct = useHasRole('operator')
  const [problem, setProblem] = useState('')
  const change = (body: Change) => {
    setProblem('')
    client
      .changeSession({ params: { id: session.id }, body })
      .catch((error: unknown) => setProblem(errorLabel(error)))
  }
  const effort = session.effort ?? session.options.effort ?? null
  const isReadOnly = !mayAct || session.kind === 'observed' || session.state === 'ended'
  return (
    <>
      {isReadOnly ? (
        <>
          <span title={t('model')}>
            {session.model === null ? t('model.default') : modelName(session.model)}
          </span>
          {effort !== null && <span title={t('effort')}>{t(`effort.${effort}`)}</span>}
          <span title={t('mode')}>{modeName(session.permissionMode)}</span>
        </>
      ) : (
        <>
          <ModelPicker value={session.model ?? ''} isQuiet onChange={(model) => change({ model })} />
          <EffortPicker
            model={session.model ?? ''}
            value={effort}
            isQuiet
            onChange={(chosen) => change({ effort: chosen })}
          />
          <ModePicker
            value={session.permissionMode}
            isQuiet
            onChange={(permissionMode) => change({ permissionMode })}
          />
        </>
      )}
      {session.jail && (
        <span
          className="muted"
          title={session.jail.isOn ? t('jail.on') : t('jail.off', { reason: reasonLabel(session.jail) })}
        >
          {session.jail.isOn ? t('tool.jail') : t('jail.none')}
        </span>
      )}
      {problem && <span role="alert">{problem}</span>}
    </>
  )
}
