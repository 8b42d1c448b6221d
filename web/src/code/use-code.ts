import { useEffect, useMemo, useRef, useState } from 'react'
import type { ColoredLine } from './colored-line.js'
import { type Colored, type ColorReply, Highlighter } from './highlighter.js'
import type { Language } from './language.js'

/** Throttle: code that streams in is coloured again at this interval. */
const STREAM_MS = 150

let highlighter: Highlighter | null = null

function shared(): Highlighter {
  highlighter ??= new Highlighter((onReply, onFailure) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    worker.addEventListener('message', ({ data }: MessageEvent<ColorReply>) => onReply(data))
    worker.addEventListener('error', onFailure)
    return { send: (task) => worker.postMessage(task, []), close: () => worker.terminate() }
  })
  return highlighter
}

export interface Code {
  /** Lines with their colours, from the first on. */
  colored: readonly ColoredLine[]
  /** The code after them, plain. */
  rest: string
}

const NONE: readonly ColoredLine[] = []

/** Code is plain until the worker has read it. While it streams in, lines that are known keep their colours. */
export function useCode(code: string, language: Language | null): Code {
  const [latest, setLatest] = useState<{ code: string; lines: Colored } | null>(null)
  const wanted = useRef<string | null>(null)
  const isBusy = useRef(false)
  useEffect(() => {
    wanted.current = code
    if (language !== null && !isBusy.current) void color(language)
    async function color(name: Language) {
      isBusy.current = true
      for (let done: string | null = null; wanted.current !== null && wanted.current !== done; ) {
        if (done !== null) await new Promise((resolve) => setTimeout(resolve, STREAM_MS))
        done = wanted.current ?? ''
        setLatest({ code: done, lines: await shared().color(done, name) })
      }
      isBusy.current = false
    }
  }, [code, language])
  useEffect(
    () => () => {
      wanted.current = null
    },
    [],
  )
  const known = language === null ? null : shared().find(code, language)
  if (known) return { colored: known, rest: '' }
  if (!latest?.lines || language === null || !code.startsWith(latest.code))
    return { colored: NONE, rest: code }
  // The last line may not have been whole.
  return { colored: latest.lines.slice(0, -1), rest: code.slice(latest.code.lastIndexOf('\n') + 1) }
}

/** All lines of a code, for views that draw them one by one. */
export function useCodeLines(code: string, language: Language | null): readonly ColoredLine[] {
  const { colored, rest } = useCode(code, language)
  return useMemo(
    () =>
      rest === '' && colored.length > 0
        ? colored
        : [...colored, ...rest.split('\n').map((text): ColoredLine => [{ text, kind: null }])],
    [colored, rest],
  )
}
