import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { t } from '../i18n/i18n.js'
import { errorLabel } from '../i18n/server-text.js'
import { useHasRole, useStore } from '../store/state.js'
import { Dialog } from '../ui/dialog.js'
import { printable } from '../ui/printable.js'
import { paletteEntries } from './entries.js'
import { type PaletteEntry, rankEntries, SECTIONS } from './entry.js'

/** The command palette: a field that finds sessions, actions, settings and messages by their words. */
export function Palette({ onClose }: { onClose(): void }) {
  const sessions = useStore((state) => state.sessions)
  const open = useStore((state) => state.open?.session ?? null)
  const mayAct = useHasRole('operator')
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const [problem, setProblem] = useState('')
  const entries = useMemo(
    () => rankEntries(paletteEntries({ sessions, open, mayAct }, text), text),
    [sessions, open, mayAct, text],
  )
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const at = Math.min(chosen, entries.length - 1)
  const current = entries[at]
  const optionId = (entry: PaletteEntry) => `${id}-${entry.id}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when another entry is chosen.
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [current?.id])

  const run = async (entry: PaletteEntry) => {
    try {
      await entry.run()
      onClose()
    } catch (error) {
      setProblem(errorLabel(error))
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // IME: Enter ends a composition.
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && entries.length > 0) {
      event.preventDefault()
      setChosen((at + step + entries.length) % entries.length)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      if (current) void run(current)
    }
  }
  return (
    <Dialog title={t('palette')} onClose={onClose}>
      <div className="palette">
        <input
          role="combobox"
          aria-label={t('palette.field')}
          placeholder={t('palette.field')}
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={current && optionId(current)}
          aria-autocomplete="list"
          autoComplete="off"
          // biome-ignore lint/a11y/noAutofocus: the dialog consists of this field.
          autoFocus
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setChosen(0)
            setProblem('')
          }}
          onKeyDown={onKeyDown}
        />
        {problem && <p role="alert">{problem}</p>}
        {/* The field keeps the focus, and names the chosen option. */}
        <div ref={list} id={id} role="listbox" aria-label={t('palette')} className="palette-list">
          {SECTIONS.map((section) => {
            const listed = entries.filter((entry) => entry.section === section)
            if (listed.length === 0) return null
            return (
              // biome-ignore lint/a11y/useSemanticElements: a listbox has groups, no field sets.
              <div key={section} role="group" aria-label={t(`palette.${section}`)}>
                <p className="palette-section" aria-hidden="true">
                  {t(`palette.${section}`)}
                </p>
                {listed.map((entry) => (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
                  // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus.
                  <div
                    key={entry.id}
                    id={optionId(entry)}
                    role="option"
                    aria-selected={entry === current}
                    className="palette-entry"
                    onClick={() => void run(entry)}
                  >
                    <span className="truncate">{printable(entry.label)}</span>
                    <small className="muted truncate">{printable(entry.detail)}</small>
                  </div>
                ))}
              </div>
            )
          })}
        </div>
      </div>
    </Dialog>
  )
}
