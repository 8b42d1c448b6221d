import type { PermissionMode } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { useHasRole } from '../../store/state.js'
import { Picker, type PickerOption } from '../../ui/picker.js'
import { MODES, modeName } from '../session-label.js'

interface ModePickerProps {
  value: PermissionMode
  isQuiet?: boolean
  onChange(mode: PermissionMode): void
}

/** The permission mode, with what each allows. `bypassPermissions` is disabled and labelled for all but admins. */
export function ModePicker({ value, isQuiet = false, onChange }: ModePickerProps) {
  const isAdmin = useHasRole('admin')
  const options = MODES.map((mode): PickerOption => {
    const isDisabled = mode === 'bypassPermissions' && !isAdmin
    const name = isDisabled ? t('mode.for_admins', { mode: modeName(mode) }) : modeName(mode)
    return { value: mode, name, description: t(`mode.${mode}.explained`), isDisabled }
  })
  return (
    <Picker
      label={t('mode')}
      value={value}
      options={options}
      isQuiet={isQuiet}
      onChange={(chosen) => {
        const mode = MODES.find((name) => name === chosen)
        if (mode) onChange(mode)
      }}
    />
  )
}
