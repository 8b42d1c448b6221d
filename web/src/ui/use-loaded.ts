import { useCallback, useEffect, useRef, useState } from 'react'
import { errorLabel } from '../i18n/server-text.js'

interface Loaded<Value> {
  /** Null until the first load has finished. */
  value: Value | null
  problem: string
  reload(): void
}

/** Loads a value when a view is opened, and polls it while the page is visible if `everyMs` is set. */
export function useLoaded<Value>(load: () => Promise<Value>, everyMs: number | null = null): Loaded<Value> {
  const [value, setValue] = useState<Value | null>(null)
  const [problem, setProblem] = useState('')
  const latest = useRef(load)
  latest.current = load
  const reload = useCallback(() => {
    latest.current().then(
      (fresh) => {
        setValue(fresh)
        setProblem('')
      },
      (error: unknown) => setProblem(errorLabel(error)),
    )
  }, [])
  useEffect(() => {
    reload()
    if (everyMs === null) return
    const timer = setInterval(() => {
      if (!document.hidden) reload()
    }, everyMs)
    return () => clearInterval(timer)
  }, [reload, everyMs])
  return { value, problem, reload }
}
