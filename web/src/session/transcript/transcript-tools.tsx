import { t } from '../../i18n/i18n.js'
import { setPreference, usePreference } from '../../store/preference.js'
import { Icon, type IconName } from '../../ui/icon.js'

interface TranscriptToolsProps {
  onFind(): void
  onPrompt(by: 1 | -1): void
}

/** Buttons for reading: find, previous and next prompt, wide mode. */
export function TranscriptTools({ onFind, onPrompt }: TranscriptToolsProps) {
  const { isWide } = usePreference()
  return (
    <span className="transcript-tools">
      <ToolButton icon="search" label={t('find.label')} onClick={onFind} />
      <ToolButton
        icon="up"
        className="prompt-step"
        label={t('prompt.previous')}
        onClick={() => onPrompt(-1)}
      />
      <ToolButton icon="down" className="prompt-step" label={t('prompt.next')} onClick={() => onPrompt(1)} />
      <button
        type="button"
        className="plain icon-only wide-toggle"
        aria-label={t('wide')}
        title={t('wide')}
        aria-pressed={isWide}
        onClick={() => setPreference({ isWide: !isWide })}
      >
        <Icon name="wide" />
      </button>
    </span>
  )
}

interface ToolButtonProps {
  icon: IconName
  label: string
  className?: string
  onClick(): void
}

function ToolButton({ icon, label, className = '', onClick }: ToolButtonProps) {
  return (
    <button
      type="button"
      className={`plain icon-only ${className}`}
      aria-label={label}
      title={label}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}
