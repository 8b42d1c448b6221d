/** How the daemon of this address was called last: the page of the login may not ask it. */

const KEY = 'signalbox.command'

export function lastCommand(): string {
  try {
    return localStorage.getItem(KEY) ?? 'signalbox'
  } catch {
    return 'signalbox'
  }
}

export function rememberCommand(command: string): void {
  try {
    localStorage.setItem(KEY, command)
  } catch {
    // Storage may be disabled.
  }
}
