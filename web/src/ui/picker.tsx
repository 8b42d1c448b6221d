import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useEscape } from './escape.js'
import { Icon } from './icon.js'
import { printable } from './printable.js'
import { usePopup } from './use-popup.js'

export interface PickerOption {
  value: string
  name: string
  /** One line that explains it. */
  description?: string
  isDisabled?: boolean
}

interface PickerProps {
  label: string
  value: string
  options: readonly PickerOption[]
  /** Without a border, as part of a line of text. */
  isQuiet?: boolean
  onOpen?(): void
  onChange(value: string): void
}

/** A choice from a list in which each option has a line of explanation: a combobox without a text field. */
export function Picker({ label, value, options, isQuiet = false, onOpen, onChange }: PickerProps) {
  const [isOpen, setIsOpen] = useState(false)
  const [active, setActive] = useState(0)
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLElement | null>(null)
  const id = useId()
  const popup = usePopup(button, { isOpen, side: 'below' })
  const chosen = options.find((option) => option.value === value)
  const current = options[active]
  useEscape(isOpen, () => setIsOpen(false))
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when another option is active.
  useEffect(() => {
    list.current?.querySelector('.active')?.scrollIntoView({ block: 'nearest' })
  }, [active, isOpen])

  const open = () => {
    onOpen?.()
    setActive(
      Math.max(
        0,
        options.findIndex((option) => option.value === value),
      ),
    )
    setIsOpen(true)
  }
  const choose = (option: PickerOption | undefined) => {
    if (!option || option.isDisabled) return
    setIsOpen(false)
    if (option.value !== value) onChange(option.value)
  }
  const step = (by: number, from = active) => {
    for (let at = from + by; at >= 0 && at < options.length; at += by)
      if (!options[at]?.isDisabled) return setActive(at)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.altKey || event.ctrlKey || event.metaKey) return
    if (!isOpen) {
      if (!['ArrowDown', 'ArrowUp', 'Enter', ' '].includes(event.key)) return
      event.preventDefault()
      return open()
    }
    const act = {
      ArrowDown: () => step(1),
      ArrowUp: () => step(-1),
      Home: () => step(1, -1),
      End: () => step(-1, options.length),
      Enter: () => choose(current),
      ' ': () => choose(current),
    }[event.key]
    if (act) {
      event.preventDefault()
      act()
    } else if (event.key === 'Tab') choose(current)
    else if (event.key.length === 1) {
      const at = startingWith(options, event.key, active)
      if (at !== null) setActive(at)
    }
  }
  return (
    <span className="picker">
      <button
        ref={button}
        type="button"
        role="combobox"
        className={isQuiet ? 'picker-button quiet' : 'picker-button'}
        aria-label={label}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-activedescendant={isOpen && current ? `${id}-${active}` : undefined}
        title={label}
        onClick={() => (isOpen ? setIsOpen(false) : open())}
        onKeyDown={onKeyDown}
        onBlur={() => setIsOpen(false)}
      >
        <span className="truncate">{printable(chosen?.name ?? value)}</span>
        <Icon name="unfold" />
      </button>
      {isOpen && (
        <div
          ref={(element) => {
            list.current = element
            popup.ref(element)
          }}
          id={id}
          popover="manual"
          role="listbox"
          aria-label={label}
          className="popup"
          style={popup.style}
          // The button keeps the focus, and names the active option.
          onMouseDown={(event) => event.preventDefault()}
        >
          {options.map((option, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the button handles the keys.
            // biome-ignore lint/a11y/useFocusableInteractive: the button keeps the focus.
            <div
              key={option.value}
              id={`${id}-${index}`}
              role="option"
              aria-selected={option.value === value}
              aria-disabled={option.isDisabled}
              className={index === active ? 'popup-option active' : 'popup-option'}
              onClick={() => choose(option)}
            >
              <span className="popup-name">{printable(option.name)}</span>
              {option.description && <small className="muted">{printable(option.description)}</small>}
            </div>
          ))}
        </div>
      )}
    </span>
  )
}

/** The next option, after the active one, that starts with a letter. */
function startingWith(options: readonly PickerOption[], letter: string, active: number): number | null {
  const wanted = letter.toLowerCase()
  for (let by = 1; by <= options.length; by += 1) {
    const at = (active + by) % options.length
    const option = options[at]
    if (option && !option.isDisabled && option.name.toLowerCase().startsWith(wanted)) return at
  }
  return null
}
