/**
 * Ctrl-Z in raw mode, where the terminal sends no signal. The process group is stopped as the kernel would do it, so that a
 * shell that started this through another program notices. `resume` also runs after a stop from outside.
 */

/** The kernel does not stop a group without a shell above it: then `resume` must run all the same. */
const NOT_STOPPED_MS = 100

export interface Suspension {
  suspend(): void
  close(): void
}

/** `leave` gives the terminal back, `resume` takes it again. */
export function watchSuspension({ leave, resume }: { leave(): void; resume(): void }): Suspension {
  let timer: NodeJS.Timeout | null = null
  const onContinue = () => {
    if (timer) clearTimeout(timer)
    timer = null
    resume()
  }
  process.on('SIGCONT', onContinue)
  return {
    suspend() {
      if (timer) return
      leave()
      timer = setTimeout(onContinue, NOT_STOPPED_MS)
      process.kill(0, 'SIGTSTP')
    },
    close() {
      if (timer) clearTimeout(timer)
      timer = null
      process.off('SIGCONT', onContinue)
    },
  }
}
