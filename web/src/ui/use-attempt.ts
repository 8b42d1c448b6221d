import { useRef, useState } from 'react'

/**
 * Something that is sent once: while it is on its way it can not be sent again, and a second try after a lost answer
 * carries the same key, so that it does not happen twice.
 */
export function useAttempt(action: (key: string) => Promise<unknown>) {
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const key = useRef<string | null>(null)
  const isRunning = useRef(false)

  const run = async () => {
    if (isRunning.current) return
    isRunning.current = true
    setIsBusy(true)
    setProblem('')
    key.current ??= crypto.randomUUID()
    try {
      await action(key.current)
      key.current = null
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    } finally {
      isRunning.current = false
      setIsBusy(false)
    }
  }
  return { run: () => void run(), isBusy, problem }
}
