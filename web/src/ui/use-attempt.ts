import { useRef, useState } from 'react'
import { errorLabel } from '../i18n/server-text.js'

/**
 * Runs an action at most once at a time. Idempotency: a retry after a failure sends the same key, so that an action
 * whose reply was lost is not executed twice.
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
      setProblem(errorLabel(error))
    } finally {
      isRunning.current = false
      setIsBusy(false)
    }
  }
  return { run: () => void run(), isBusy, problem }
}
