/** Completion at the prompt of real shells: commands, options, and ids of a running daemon. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MAIN, makePlace, startDaemonProcess } from '../support/daemon-process.js'
import { findCommand } from '../support/find-command.js'
import { openTerminal } from '../support/terminal.js'
import { share, whenDone } from '../support/when-done.js'

const shared = share(async () => {
  const at = await makePlace(() => ({ rules: [{ reply: [{ text: 'ok' }] }] }))
  const daemon = await startDaemonProcess(at)
  whenDone(daemon.stop)
  const { session } = await daemon.client.createSession({ body: { cwd: at.cwd, title: "Fix: Kim's login" } })
  // Under its own name, as after an installation.
  const bin = join(at.folder, 'bin')
  mkdirSync(bin)
  symlinkSync(MAIN, join(bin, 'signalbox'))
  const env = { ...at.env, SIGNALBOX_HOME: at.home, TERM: 'xterm-256color' }
  const script = (shell: string) =>
    spawnSync(process.execPath, [MAIN, 'completion', shell], { encoding: 'utf8' }).stdout
  writeFileSync(join(bin, '_signalbox'), script('zsh'))
  return { at: { ...at, env }, bin, short: session.id.slice(-4) }
})

/** The shell, and the line that turns completion on. */
const SHELLS: [shell: string, start: string, on: (bin: string) => string][] = [
  ['bash', 'bash --norc', () => 'source <(signalbox completion bash)'],
  ['zsh', 'zsh -f', () => 'source <(signalbox completion zsh)'],
  ['zsh', 'zsh -f', (bin) => `fpath=(${bin} $fpath); autoload -U compinit; compinit -u`],
  ['fish', 'fish --no-config', () => 'signalbox completion fish | source'],
]

for (const [shell, start, on] of SHELLS) {
  const isMissing = findCommand(shell) === null || findCommand('tmux') === null
  test.skipIf(isMissing)(`${start}: ${on('FOLDER')}`, async () => {
    const { at, bin, short } = shared()
    // tmux passes its own PATH on.
    const terminal = await openTerminal(`PATH="${bin}:$PATH" PS1='$ ' ${start}`, at)
    await terminal.type(`${on(bin)}; echo rea""dy`)
    await terminal.press('Enter')
    await terminal.shows(/^ready/m)

    await terminal.type('signalbox sess')
    await terminal.pressUntil('Tab', /signalbox sessions/)
    await terminal.type('--stat')
    await terminal.pressUntil('Tab', /signalbox sessions --state/)
    await terminal.press('C-u')
    await terminal.type('signalbox token cr')
    await terminal.pressUntil('Tab', /signalbox token create/)
    await terminal.press('C-u')
    await terminal.type(`signalbox show ${short.slice(0, 2)}`)
    await terminal.pressUntil('Tab', new RegExp(`signalbox show ${short}`))
    expect(await terminal.screen()).not.toMatch(/not found|error|unmatched/i)
  })
}
