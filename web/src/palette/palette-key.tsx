import { Suspense, useLayoutEffect } from 'react'
import { lazyView } from '../ui/lazy-view.js'

const Palette = lazyView(async () => (await import('./palette.js')).Palette)

interface PaletteKeyProps {
  isOpen: boolean
  onToggle(): void
}

/** Opens the palette with Ctrl+K or ⌘K, also from a text field, and closes it with the same key. */
export function PaletteKey({ isOpen, onToggle }: PaletteKeyProps) {
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isKey = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)
      if (!isKey || event.altKey || event.shiftKey || event.isComposing) return
      // Not over another dialog, whose answer is due first.
      if (document.querySelector('dialog[open]') && !document.querySelector('dialog[open] .palette')) return
      event.preventDefault()
      if (!event.repeat) onToggle()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [onToggle])
  if (!isOpen) return null
  return (
    <Suspense fallback={null}>
      <Palette onClose={onToggle} />
    </Suspense>
  )
}
