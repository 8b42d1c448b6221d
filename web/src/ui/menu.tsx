import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useEscape } from './escape.js'
import { Icon, type IconName } from './icon.js'

interface MenuProps {
  label: string
  icon: IconName
  children: ReactNode
}

/** A button that opens a list of actions. Closes on an action, on Escape and on a click or focus outside. */
export function Menu({ label, icon, children }: MenuProps) {
  const [isOpen, setIsOpen] = useState(false)
  const frame = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  useEscape(isOpen, () => {
    setIsOpen(false)
    button.current?.focus()
  })
  useEffect(() => {
    if (!isOpen) return
    const onOutside = ({ target }: Event) => {
      if (target instanceof Node && !frame.current?.contains(target)) setIsOpen(false)
    }
    document.addEventListener('pointerdown', onOutside)
    document.addEventListener('focusin', onOutside)
    return () => {
      document.removeEventListener('pointerdown', onOutside)
      document.removeEventListener('focusin', onOutside)
    }
  }, [isOpen])
  return (
    <div className="menu" ref={frame}>
      <button
        ref={button}
        type="button"
        className="plain icon-only"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name={icon} />
      </button>
      {isOpen && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the buttons inside handle keys.
        // biome-ignore lint/a11y/noStaticElementInteractions: a click on a button inside closes the menu.
        <div className="menu-list" id={id} onClick={() => setIsOpen(false)}>
          {children}
        </div>
      )}
    </div>
  )
}
