/**
 * Signals a process, or with a negative pid its group. Race: it may have ended since it was seen, which is fine. Its pid may even
 * belong to another user by now (EPERM, which macOS also reports for a group of zombies).
 */
export function killProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}
