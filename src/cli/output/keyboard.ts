/** Single keys from a terminal in raw mode. The mode is restored when the reading ends, however the program ends. */

import type { ReadStream } from 'node:tty'
import { watchSuspension } from './suspend.js'

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const CTRL_Z = '\u001a'

/**
 * `onInput` gets what one read brought: one key as a rule, a whole text when it was pasted. Ctrl-Z suspends the program;
 * `onResume` is called when it continues. The result ends the reading.
 */
export function readKeys(
  stdin: ReadStream,
  onInput: (text: string) => void,
  onResume: () => void,
): () => void {
  const wasRaw = stdin.isRaw
  let isOpen = true
  const close = () => {
    if (!isOpen) return
    isOpen = false
    stdin.off('data', onData)
    stdin.pause()
    stdin.setRawMode(wasRaw)
    suspension.close()
    process.off('exit', close)
  }
  const suspension = watchSuspension({
    leave: () => stdin.setRawMode(false),
    resume() {
      // Twice: a shell has changed the mode meanwhile, and setting the same one again does nothing.
      stdin.setRawMode(false)
      stdin.setRawMode(true)
      onResume()
    },
  })
  const onData = (data: Buffer | string) => {
    const text = String(data)
    if (text === CTRL_Z) suspension.suspend()
    else onInput(text)
  }
  stdin.setEncoding('utf8')
  stdin.setRawMode(true)
  stdin.on('data', onData)
  stdin.resume()
  process.once('exit', close)
  return close
}

/** Keys that were pressed before a prompt was shown, or in the middle of typing something else, must not answer it. */
const SETTLE_MS = 200

export interface KeyPrompt {
  stdin: ReadStream
  keys: readonly string[]
  signal: AbortSignal
  /** Another key was pressed. */
  onOther(): void
  /** The program continues after Ctrl-Z: the prompt is no longer visible. */
  onResume(): void
}

/** One of the keys; null at the end of the input. Rejects when `signal` aborts. */
export function readKey({ stdin, keys, signal, onOther, onResume }: KeyPrompt): Promise<string | null> {
  let quietSince = performance.now()
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      close()
      signal.removeEventListener('abort', abort)
      settle()
    }
    const abort = () => end(() => reject(new Error('The request is no longer pending.')))
    const onInput = (text: string) => {
      if (text === CTRL_C) {
        // In raw mode the terminal sends no signal; the command must get it all the same.
        process.emit('SIGINT')
        return
      }
      if (text === CTRL_D) return end(() => resolve(null))
      const now = performance.now()
      const isTyping = now - quietSince < SETTLE_MS
      quietSince = now
      if (isTyping) return
      // A pasted text is no key; Enter behind a key is a habit.
      const key = keys.find((known) => text === known || text === `${known}\r`)
      if (key === undefined) onOther()
      else end(() => resolve(key))
    }
    const close = readKeys(stdin, onInput, onResume)
    signal.addEventListener('abort', abort, { once: true })
  })
}
