/** Log entries: a fixed message and fields. User input, secrets and paths are never in the message. */
export interface Log {
  info(message: string, fields?: Record<string, unknown>): void
  error(message: string, error: unknown, fields?: Record<string, unknown>): void
}

export interface LogEntry {
  time: string
  level: LogLevel
  message: string
  [field: string]: unknown
}

export const logLevels = ['info', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export function createLog(write: (entry: LogEntry) => void, now: () => number): Log {
  const entry = (level: LogLevel, message: string, fields: Record<string, unknown>) =>
    write({ time: new Date(now()).toISOString(), level, message, ...fields })
  return {
    info: (message, fields = {}) => entry('info', message, fields),
    error: (message, error, fields = {}) => entry('error', message, { ...fields, ...describe(error) }),
  }
}

function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) }
  return { error: error.message, stack: error.stack, ...('code' in error && { code: error.code }) }
}
