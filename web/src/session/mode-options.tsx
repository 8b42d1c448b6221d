import { t } from '../i18n/i18n.js'
import { useHasRole } from '../store/state.js'
import { MODES, modeName } from './session-label.js'

/** Options for the permission mode. `bypassPermissions` is disabled and labelled for all but admins. */
export function ModeOptions() {
  const isAdmin = useHasRole('admin')
  return MODES.map((mode) => {
    const isDisabled = mode === 'bypassPermissions' && !isAdmin
    return (
      <option key={mode} value={mode} disabled={isDisabled}>
        {isDisabled ? t('mode.for_admins', { mode: modeName(mode) }) : modeName(mode)}
      </option>
    )
  })
}
