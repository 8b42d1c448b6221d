import { useEffect, useState } from 'react'
import { t } from '../i18n/i18n.js'
import { useEscapeInView } from '../ui/escape.js'

const CONFIRM_MS = 2_000

interface InterruptKeyProps {
  canInterrupt: boolean
  onInterrupt(): void
}

/** Escape pressed twice interrupts the turn. The first press only says so: an agent's work is not stopped by accident. */
export function InterruptKey({ canInterrupt, onInterrupt }: InterruptKeyProps) {
  const [isArmed, setIsArmed] = useState(false)
  useEscapeInView(canInterrupt, () => {
    setIsArmed(!isArmed)
    if (isArmed) onInterrupt()
  })
  useEffect(() => {
    if (!isArmed) return
    const disarm = () => setIsArmed(false)
    // Any other input in between means that the two presses do not belong together.
    const onInput = (event: Event) => {
      if (!(event instanceof KeyboardEvent && event.key === 'Escape')) disarm()
    }
    const timer = setTimeout(disarm, CONFIRM_MS)
    document.addEventListener('keydown', onInput)
    document.addEventListener('pointerdown', onInput)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('keydown', onInput)
      document.removeEventListener('pointerdown', onInput)
    }
  }, [isArmed])
  return (
    <span role="status">
      {isArmed && canInterrupt && <span className="toast">{t('interrupt.again')}</span>}
    </span>
  )
}
