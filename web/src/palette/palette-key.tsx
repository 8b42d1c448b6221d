import { lazy, Suspense, useEffect, useState } from 'react'

const Palette = lazy(async () => ({ default: (await import('./palette.js')).Palette }))

/** Opens the palette with Ctrl+K or ⌘K, also from a text field, and closes it with the same key. */
export function PaletteKey() {
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isKey = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)
      if (!isKey || event.altKey || event.shiftKey || event.isComposing) return
      // Not over another dialog, whose answer is due first.
      if (document.querySelector('dialog[open]') && !document.querySelector('dialog[open] .palette')) return
      event.preventDefault()
      if (!event.repeat) setIsOpen((before) => !before)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  if (!isOpen) return null
  return (
    <Suspense fallback={null}>
      <Palette onClose={() => setIsOpen(false)} />
    </Suspense>
  )
}
