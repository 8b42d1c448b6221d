import { type ReactNode, useEffect, useId, useRef } from 'react'
import { useEscape } from './escape.js'

interface DialogProps {
  title: string
  /** Uses most of the screen. */
  isWide?: boolean
  children: ReactNode
  onClose(): void
}

/** Modal dialog on the native element, which traps the focus and closes on Escape. */
export function Dialog({ title, isWide = false, children, onClose }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEscape(true, onClose)
  useEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    // The focused button may be at the end: a long dialog is read from its start.
    if (dialog) dialog.scrollTop = 0
    return () => dialog?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same.
    <dialog
      ref={ref}
      className={isWide ? 'wide' : undefined}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}
