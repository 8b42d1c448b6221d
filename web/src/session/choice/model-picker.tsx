import { useState } from 'react'
import { t } from '../../i18n/i18n.js'
import { useEscape } from '../../ui/escape.js'
import { Picker, type PickerOption } from '../../ui/picker.js'
import { modelName } from '../session-label.js'
import { findModel, loadModels, useOfferedModels } from './offered-models.js'

interface ModelPickerProps {
  /** Empty: the default of the CLI. */
  value: string
  isQuiet?: boolean
  /** Offers the default. A session that has a model cannot return to it. */
  hasDefault?: boolean
  onChange(model: string): void
}

const OTHER = '\0other'
/** Names that every version of the CLI knows. */
const ALIASES = ['opus', 'sonnet', 'haiku']

/** Models that the CLI offers, with its own descriptions, and any other model by its id. */
export function ModelPicker({ value, isQuiet = false, hasDefault = false, onChange }: ModelPickerProps) {
  const offered = useOfferedModels()
  const [typed, setTyped] = useState<string | null>(null)
  useEscape(typed !== null, () => setTyped(null))
  const known = findModel(offered, value)
  const listed: PickerOption[] =
    offered.length > 0
      ? offered.map((model) => ({
          value: model.value,
          // With its version, where the session says it.
          name: model === known && value !== model.value ? modelName(value) : model.name,
          description: model.description,
        }))
      : ALIASES.map((alias) => ({ value: alias, name: modelName(alias) }))
  const automatic = listed.find((option) => option.value === 'default')
  const options: PickerOption[] = [
    ...(hasDefault || value === ''
      ? [{ value: '', name: t('model.default'), description: automatic?.description ?? '' }]
      : []),
    ...(value !== '' && !known ? [{ value, name: modelName(value) }] : []),
    ...listed.filter((option) => option !== automatic),
    { value: OTHER, name: t('model.other'), description: t('model.other.explained') },
  ]
  if (typed !== null) {
    const finish = () => {
      setTyped(null)
      if (typed.trim() !== '') onChange(typed.trim())
    }
    return (
      <input
        aria-label={t('model')}
        className={isQuiet ? 'quiet' : undefined}
        placeholder={t('model.other.hint')}
        value={typed}
        maxLength={200}
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: the user has just chosen to type it.
        autoFocus
        onChange={(event) => setTyped(event.target.value)}
        onBlur={finish}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
          event.preventDefault()
          finish()
        }}
      />
    )
  }
  return (
    <Picker
      label={t('model')}
      value={known?.value ?? value}
      options={options}
      isQuiet={isQuiet}
      onOpen={loadModels}
      onChange={(chosen) => (chosen === OTHER ? setTyped('') : onChange(chosen))}
    />
  )
}
