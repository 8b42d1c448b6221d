/** `signalbox top`: sessions and requests on one screen, kept up to date, answered with keys. */

import { createColors } from 'picocolors'
import { homePath } from '../../../home.js'
import { HubError } from '../../../protocol/error.js'
import type { CommandOptions } from '../../command-options.js'
import { connect, findDaemon } from '../../connect.js'
import { EXIT } from '../../exit-code.js'
import { watchSuspension } from '../../output/suspend.js'
import { Feed } from '../../top/feed.js'
import { KeyReader } from '../../top/key.js'
import { press } from '../../top/press.js'
import { openScreen, type Screen } from '../../top/screen.js'
import { START, type TopState } from '../../top/state.js'
import { pageOf, viewOf } from '../../top/view.js'

const FRAME_MS = 30
/** Ages are shown, so that the screen is drawn without an event too. */
const TICK_MS = 1_000

export async function top(options: CommandOptions): Promise<number> {
  const { stdin, stdout, env } = process
  if (!stdin.isTTY || !stdout.isTTY)
    throw new HubError(
      'request_invalid',
      'top needs a terminal. Use "signalbox sessions" or "signalbox inbox".',
    )
  const home = homePath(options.home, env)
  // Without a daemon at the start there is nothing to wait for; later it may be restarting.
  await connect(home).about()
  const color = createColors(!env['NO_COLOR'] && env['TERM'] !== 'dumb')
  const quit = new AbortController()
  // Node writes to terminals synchronously, so that this works in a process that is ending too.
  const screen = openScreen((text) => void stdout.write(text))
  const restore = () => leave(screen)
  // Before the error of a crash is printed, and whatever else ends the process.
  process.once('uncaughtExceptionMonitor', restore).once('exit', restore)
  let state: TopState = START
  let frame: NodeJS.Timeout | null = null
  const size = () => ({ columns: Math.max(20, stdout.columns), rows: Math.max(6, stdout.rows) })
  const draw = () => {
    frame = null
    screen.draw(viewOf(state, size(), Date.now(), color))
  }
  const update = (change: (before: TopState) => TopState) => {
    state = change(state)
    frame ??= setTimeout(draw, FRAME_MS)
  }
  const feed = new Feed({ connect: () => findDaemon(home), get: () => state, update, signal: quit.signal })
  const reader = new KeyReader()
  const suspension = watchSuspension({
    leave: restore,
    resume() {
      // Twice: a shell has changed the mode meanwhile, and setting the same one again does nothing.
      stdin.setRawMode(false)
      stdin.setRawMode(true)
      screen.enter()
      update((same) => same)
    },
  })
  const onKeys = (chunk: string) => {
    for (const key of reader.push(chunk)) {
      if (key.name === 'ctrl-z') suspension.suspend()
      if (key.name === 'ctrl-l') screen.forget()
      const before = state.selected
      const { state: next, effect } = press(state, key, pageOf(size()))
      update(() => next)
      if (next.selected !== before) feed.showTail()
      if (effect?.kind === 'quit') quit.abort()
      if (effect?.kind === 'answer') void feed.answer(effect.requestId, effect.body)
    }
  }
  const onResize = () => {
    screen.forget()
    update((same) => same)
  }
  const ended = new Promise<number>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const)
      process.once(signal, () => resolve(EXIT.interrupted))
    stdin.once('end', () => resolve(EXIT.interrupted))
    quit.signal.addEventListener('abort', () => resolve(EXIT.done))
  })
  const tick = setInterval(() => update((same) => same), TICK_MS)
  stdin.setRawMode(true)
  stdin.setEncoding('utf8').on('data', onKeys)
  stdout.on('resize', onResize)
  try {
    return await Promise.race([ended, feed.run().then(() => ended)])
  } finally {
    quit.abort()
    clearInterval(tick)
    suspension.close()
    if (frame) clearTimeout(frame)
    stdin.off('data', onKeys).pause()
    stdout.off('resize', onResize)
    process.off('uncaughtExceptionMonitor', restore).off('exit', restore)
    restore()
  }
}

function leave(screen: Screen): void {
  screen.leave()
  if (process.stdin.isTTY) process.stdin.setRawMode(false)
}
