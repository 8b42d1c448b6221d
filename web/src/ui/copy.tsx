import { useState } from 'react'
import { t } from '../i18n/i18n.js'
import { Icon } from './icon.js'

/** A command or secret with a copy button. */
export function Copyable({ text }: { text: string }) {
  return (
    <span className="copy">
      <code className="grow">{text}</code>
      <CopyButton text={text} />
    </span>
  )
}

export function CopyButton({ text }: { text: string }) {
  const [isCopied, setIsCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setIsCopied(true)
    setTimeout(() => setIsCopied(false), 1_500)
  }
  return (
    <button
      type="button"
      className="plain icon-only"
      aria-label={isCopied ? t('copied') : t('copy')}
      title={t('copy')}
      onClick={() => void copy().catch(() => {})}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
    </button>
  )
}
