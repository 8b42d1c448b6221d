/** Sees to it that the tests find a browser, tmux, fish, zsh and bubblewrap: those of the system, or Debian's packages where that is allowed. */

import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const NEEDED = [
  {
    package: 'chromium',
    commands: ['chromium', 'chromium-browser', 'google-chrome'],
    tests: 'the tests in a browser',
  },
  { package: 'tmux', commands: ['tmux'], tests: 'the tests in a terminal' },
  { package: 'fish', commands: ['fish'], tests: 'the completion in fish' },
  { package: 'zsh', commands: ['zsh'], tests: 'the completion in zsh' },
  { package: 'bubblewrap', commands: ['bwrap'], tests: 'the tests of the read-only jail' },
]

const missing = NEEDED.filter(({ commands }) => !commands.some(isThere))
if (missing.length > 0 && process.getuid?.() === 0 && isThere('apt-get'))
  install(missing.map((item) => item.package))
for (const item of missing) {
  if (!item.commands.some(isThere))
    console.warn(`No ${item.package} here: ${item.tests} will be skipped. Install it to run them.`)
}

function install(packages) {
  console.log(`Installing ${packages.join(' and ')} for the tests …`)
  const run = (...args) =>
    spawnSync('apt-get', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0
  if (!run('install', '-y', '--no-install-recommends', ...packages)) {
    run('update')
    run('install', '-y', '--no-install-recommends', ...packages)
  }
}

function isThere(command) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
