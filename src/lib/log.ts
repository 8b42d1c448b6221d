/** Log lines: a fixed message and fields. User input, secrets and paths are never in the message. */
export interface Log {
  info(message: string, fields?: Record<string, unknown>): void
  error(message: string, error: unknown, fields?: Record<string, unknown>): void
}

export function createLog(write: (line: string) => void, now: () => number): Log {
  const line = (level: string, message: string, fields: Record<string, unknown>) =>
    write(`${JSON.stringify({ time: new Date(now()).toISOString(), level, message, ...fields })}\n`)
  return {
    info: (message, fields = {}) => line('info', message, fields),
    error: (message, error, fields = {}) => line('error', message, { ...fields, ...describe(error) }),
  }
}

function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) }
  return { error: error.message, stack: error.stack, ...('code' in error && { code: error.code }) }
}
