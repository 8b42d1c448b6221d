/** Starts the process of a runner. */

import { spawn } from 'node:child_process'

/** A process group of its own: Ctrl-C and the end of the daemon do not reach it. */
export function spawnRunner(home: string, scripted: string | true | null): void {
  const [script = ''] = process.argv.slice(1)
  const model = scripted === null ? [] : ['--scripted', ...(scripted === true ? [] : [scripted])]
  const child = spawn(process.execPath, [...process.execArgv, script, 'runner', '--home', home, ...model], {
    stdio: 'ignore',
    detached: true,
  })
  // The machine may have no room for it now: it is tried again.
  child.on('error', () => {})
  child.unref()
}
