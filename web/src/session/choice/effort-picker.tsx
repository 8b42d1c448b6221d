import type { Effort } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { Picker } from '../../ui/picker.js'
import { EFFORTS, effortsOf, useOfferedModels } from './offered-models.js'

interface EffortPickerProps {
  /** The chosen model; empty for the default of the CLI. */
  model: string
  value: Effort | null
  isQuiet?: boolean
  onChange(effort: Effort | null): void
}

/** How much the model thinks, as far as it can be chosen for this model. */
export function EffortPicker({ model, value, isQuiet = false, onChange }: EffortPickerProps) {
  const efforts = effortsOf(useOfferedModels(), model)
  if (efforts.length === 0 && value === null && isQuiet) return null
  const listed = EFFORTS.filter((effort) => efforts.includes(effort) || effort === value)
  return (
    <Picker
      label={t('effort')}
      value={value ?? ''}
      options={[
        { value: '', name: t('effort.default'), description: t('effort.default.explained') },
        ...listed.map((effort) => ({
          value: effort,
          name: t(`effort.${effort}`),
          description: t(`effort.${effort}.explained`),
        })),
      ]}
      isQuiet={isQuiet}
      onChange={(chosen) => onChange(EFFORTS.find((effort) => effort === chosen) ?? null)}
    />
  )
}
