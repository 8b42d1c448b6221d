import { lazy, Suspense } from 'react'
import { printable } from './printable.js'

const Markdown = lazy(async () => ({ default: (await import('./markdown.js')).Markdown }))

/** Longer texts are shown as plain text: parsing them would block the page. */
const MAX_CHARACTERS = 200_000

/** Renders Markdown. The renderer is loaded lazily; until then the plain text takes the same place. */
export function RichText({ text }: { text: string }) {
  const plain = <div className="markdown plain">{printable(text)}</div>
  if (text.length > MAX_CHARACTERS) return plain
  return (
    <Suspense fallback={plain}>
      <Markdown text={text} />
    </Suspense>
  )
}
