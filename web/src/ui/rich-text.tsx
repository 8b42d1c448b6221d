import { lazy, Suspense } from 'react'
import { printable } from './printable.js'

const Markdown = lazy(async () => ({ default: (await import('./markdown.js')).Markdown }))

/** Longer texts are shown as they are: nobody reads them as a page. */
const MAX_CHARACTERS = 200_000

/** Markdown, loaded when the first text is there; until then the text as it is, in the same place. */
export function RichText({ text }: { text: string }) {
  const plain = <div className="markdown plain">{printable(text)}</div>
  if (text.length > MAX_CHARACTERS) return plain
  return (
    <Suspense fallback={plain}>
      <Markdown text={text} />
    </Suspense>
  )
}
