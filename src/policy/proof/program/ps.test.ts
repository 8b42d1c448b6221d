/** ps: runs the listed forms with the real program, beside a process whose environment must not be shown. */

import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { createCallEnvironment } from '../../file/call-environment.js'
import { emptyFileSystem } from '../../file/file-system.js'
import { prove } from '../prove.js'

const environment = createCallEnvironment({ cwd: '/w', home: '/h', fs: emptyFileSystem })
const isProven = (command: string) => prove(command, environment).isProven

const NAMESPACE = ['-r', '-p', '-f', '-m', '--mount-proc']

/** In a PID namespace of its own, so that only environments of this test are printed. */
function showsCanary(commands: readonly string[]): string[] {
  // The value of the canary is in no argument, only in its environment.
  const script = `CANARY=\${MARK}z123 sleep 60 & sleep 0.2
    while IFS= read -r c; do eval "$c" 2>/dev/null | grep -q '[z]zz123' && printf '%s\\n' "$c"; done; kill %1`
  const { status, stdout } = spawnSync('unshare', [...NAMESPACE, 'bash', '-c', script], {
    input: commands.map((command) => `${command}\n`).join(''),
    encoding: 'utf8',
    env: { ...process.env, MARK: 'zz' },
  })
  if (status === null) throw new Error('The namespace could not be made.')
  return stdout.split('\n').filter((line) => line !== '')
}

const isPossible =
  spawnSync('unshare', [...NAMESPACE, 'true']).status === 0 &&
  String(spawnSync('ps', ['--version']).stdout).includes('procps')

const FLAGS = ['-e', '-f', '-H', '-T', '-L', '-l', '-j', '-F', '-N', '-y', '-w', '-x', '-a', '-d', '-A']
const HEADS = [
  ...'-e -A -f -F -l -ef -eF -el -elf -efl -efw -efww -eww -Af -a -d -fe -ax -aux -eH -eT -eL -eHT -efT -efH -eLf -eN -ey'.split(
    ' ',
  ),
  ...'a x u ax aux auxw auxww auxf axf axu axuf xu axww axjf uax faux -C sleep|-p 1|-p 0|-u 0|-t 1|-g 1'.split(
    /[ |](?=[^0-9s])/,
  ),
  ...FLAGS.flatMap((one) => FLAGS.map((other) => `${one} ${other}`)),
]
const TAILS = [
  '',
  '-o args',
  '-o pid,args --no-headers',
  '--forest',
  '--sort=-pcpu',
  '--sort args',
  '--sort=bogus',
  '-p 1',
  '-p 0',
  '-C sleep',
  '-u 0',
  '-t 1',
  '--pid=1',
  '--ppid=1',
  '--ppid=0',
  '--cols=200',
  '-o pid= -p 1',
  '--forest --no-headers',
  '--sort=pid --forest',
  '--headers --no-headers',
  '-T',
  '-H',
  '-L',
  '-e',
  'e',
  '-o x',
]

test.runIf(isPossible)(
  'nothing that is accepted shows an environment, and what does is refused',
  { timeout: 120_000 },
  () => {
    const all = HEADS.flatMap((head) => TAILS.map((tail) => `ps ${head} ${tail}`.trim()))
    const accepted = all.filter(isProven)
    expect(accepted.length).toBeGreaterThan(150)
    expect(showsCanary(accepted)).toEqual([])
    // Shows that the check can fail: these do print the canary.
    expect(showsCanary(['ps -eHT', 'ps -efT -o args', 'ps -eT --forest'])).not.toEqual([])
  },
)

test.each(['ps -eHT', 'ps -efT -o args', 'ps -eT --forest', 'ps -efT --forest', 'ps -ef -p 0', 'ps -e -p 0'])(
  'not accepted: %s',
  (command) => expect(isProven(command)).toBe(false),
)

test.each([
  'ps',
  'ps aux',
  'ps -ef',
  'ps -aux',
  'ps -ax',
  'ps -eo pid,ppid,cmd --sort=-%mem',
  'ps -e -o pid,args',
  'ps ax -o pid,args',
  'ps axo pid,comm --no-headers',
  'ps -p 12,13 -o args=',
  'ps -o pid= -p 1',
  'ps -f -p 12',
  'ps -C node -o pid,args',
  'ps aux --sort=-rss',
  'ps -ef --forest',
])('accepted: %s', (command) => expect(isProven(command)).toBe(true))
