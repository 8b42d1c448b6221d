/** A real terminal, in tmux: type into it, read its screen. */

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { expect, onTestFinished } from 'vitest'

const run = promisify(execFile)

export interface RealTerminal {
  type(text: string): Promise<void>
  press(key: string): Promise<void>
  /** Presses a key until the screen shows this: in its first moments a prompt takes no keys. */
  pressUntil(key: string, text: string | RegExp): Promise<void>
  screen(): Promise<string>
  /** The same with the escape sequences of colours. */
  coloured(): Promise<string>
  resize(columns: number, rows: number): Promise<void>
  /** Whether a program uses the alternate screen or hides the cursor. */
  isTakenOver(): Promise<boolean>
  /** Waits until the screen shows this. */
  shows(text: string | RegExp): Promise<void>
  /** Answers a dialog with a key. In its first moments a dialog takes no keys: it is pressed again until it is gone. */
  answer(key: string, dialog: string): Promise<void>
}

export async function openTerminal(
  command: string,
  options: { cwd: string; env: Record<string, string>; columns?: number; rows?: number },
): Promise<RealTerminal> {
  const socket = `signalbox-test-${randomBytes(6).toString('hex')}`
  const tmux = async (...args: string[]) =>
    (await run('tmux', ['-L', socket, '-f', '/dev/null', ...args])).stdout
  const variables = Object.entries(options.env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const { columns = 100, rows = 30 } = options
  const size = ['-x', String(columns), '-y', String(rows)]
  await tmux('new-session', '-d', ...size, '-c', options.cwd, ...variables, 'sh')
  onTestFinished(async () => {
    await tmux('kill-server').catch(() => {})
  })
  const screen = () => tmux('capture-pane', '-p')
  const type = async (text: string) => {
    await tmux('send-keys', '-l', '--', text)
  }
  const press = async (key: string) => {
    await tmux('send-keys', key)
  }
  await type(command)
  await press('Enter')
  return {
    type,
    press,
    screen,
    coloured: () => tmux('capture-pane', '-p', '-e'),
    resize: async (width, height) => {
      await tmux('resize-window', '-x', String(width), '-y', String(height))
    },
    isTakenOver: async () =>
      (await tmux('display-message', '-p', '#{alternate_on}#{cursor_flag}')).trim() !== '01',
    async pressUntil(key, text) {
      const isShown = async () => {
        const shown = await screen()
        if (typeof text === 'string' ? shown.includes(text) : text.test(shown)) return true
        await press(key)
        return false
      }
      await expect.poll(isShown, { timeout: 20_000, interval: 700 }).toBe(true)
    },
    shows: (text) => expect.poll(screen, { timeout: 20_000, interval: 50 }).toMatch(text),
    async answer(key, dialog) {
      await expect.poll(screen, { timeout: 20_000, interval: 50 }).toContain(dialog)
      const isGone = async () => {
        if (!(await screen()).includes(dialog)) return true
        await press(key)
        return false
      }
      await expect.poll(isGone, { timeout: 20_000, interval: 700 }).toBe(true)
    },
  }
}
