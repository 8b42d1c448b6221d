/** A file that is protected while a command runs is not shown by it, whatever happens to the file in the meantime. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { hasBubblewrap, makeJailPlace, type Ran, runAsCli, runJailed } from '../../test/support/jail.js'
import { share } from '../../test/support/when-done.js'
import { WITHHELD_STATUS } from './launch-script.js'

const CANARY = 'canary-that-moves'
const SECRET = `KEY=${CANARY}\n`

describe.skipIf(!hasBubblewrap)('while a command runs', () => {
  const shared = share(makeJailPlace, 60_000)
  const at = (...names: string[]) => join(shared().cwd, ...names)
  const textOf = ({ output }: Ran) => output.toString()

  /** A new file in the place of the old one, as editors save. */
  function save(path: string): void {
    writeFileSync(`${path}.tmp`, SECRET)
    renameSync(`${path}.tmp`, path)
  }

  /** Wrapped, then something happens, then it starts. */
  async function runAfter(command: string, happen: () => void): Promise<Ran> {
    const { jail, cwd, folder } = shared()
    const wrapped = await jail.wrap({
      command,
      cwd,
      workspace: cwd,
      env: { PATH: '/usr/bin:/bin', HOME: folder },
    })
    if ('problem' in wrapped) throw new Error(wrapped.problem.code)
    happen()
    return runAsCli(wrapped.command, shared())
  }

  beforeEach(() => {
    for (const name of readdirSync(shared().cwd)) rmSync(at(name), { recursive: true })
    writeFileSync(at('.env'), SECRET)
    mkdirSync(at('a'))
    writeFileSync(at('a', 'prod.env'), SECRET)
    writeFileSync(at('plain.txt'), 'plain\n')
  })

  test.each<[string, string, () => void]>([
    ['replaced', 'cat .env', () => save(at('.env'))],
    ['created', 'cat .env.local', () => writeFileSync(at('.env.local'), SECRET)],
    ['written in place', 'cat .env', () => writeFileSync(at('.env'), SECRET)],
    [
      'moved with its folder, and another takes its place',
      'cat */prod.env',
      () => {
        renameSync(at('a'), at('c'))
        mkdirSync(at('a'))
        writeFileSync(at('a', 'prod.env'), 'decoy')
      },
    ],
    [
      'moved behind a link',
      'cat */prod.env plain/z/prod.env',
      () => {
        mkdirSync(at('plain'))
        renameSync(at('a'), at('plain', 'z'))
        symlinkSync('plain/z', at('a'))
      },
    ],
    [
      'made a link',
      'cat .env other.txt',
      () => {
        renameSync(at('.env'), at('other.txt'))
        symlinkSync('other.txt', at('.env'))
      },
    ],
  ])('a protected file that is %s before it starts is not shown', async (_, command, happen) => {
    const ran = await runAfter(command, happen)

    expect(textOf(ran)).not.toContain(CANARY)
    expect(textOf(ran)).toContain('Permission denied')
  })

  test('one that is deleted does not break the command', async () => {
    const ran = await runAfter('cat plain.txt', () => unlinkSync(at('.env')))

    expect([ran.status, textOf(ran)]).toEqual([0, 'plain\n'])
  })

  test('what must not be hidden any more is shown', async () => {
    symlinkSync('.', at('secrets'))
    expect(textOf(await runJailed('cat plain.txt', shared()))).toContain('Permission denied')
    unlinkSync(at('secrets'))

    expect(textOf(await runJailed('cat plain.txt', shared()))).toBe('plain\n')
  })

  test('one that is saved in the middle is not shown, and the command runs once more', async () => {
    const running = runJailed('for i in 1 2 3 4 5 6; do sleep 0.1; cat .env; done; echo end', shared())
    await wait(300)
    save(at('.env'))
    const text = textOf(await running)

    expect(text).not.toContain(CANARY)
    expect(text).toMatch(/^(?:cat: .env: Permission denied\n){6}end\n$/)
  })

  test('a copy that comes and goes in the middle is not shown', async () => {
    const running = runJailed('for i in 1 2 3 4 5 6; do sleep 0.1; cat a/*; done; echo end', shared())
    await wait(250)
    writeFileSync(at('a', 'copy.env'), SECRET)
    await wait(200)
    unlinkSync(at('a', 'copy.env'))
    const text = textOf(await running)

    expect(text).not.toContain(CANARY)
    expect(text).toMatch(/^(?:cat: a\/prod.env: Permission denied\n){6}end\n$/)
  })

  test('one that is saved again and again is never shown', { timeout: 60_000 }, async () => {
    const saving = setInterval(() => save(at('.env')), 25)
    const texts = []
    for (let count = 0; count < 15; count++) texts.push(textOf(await runJailed('cat .env', shared())))
    clearInterval(saving)

    expect(texts.join('')).not.toContain(CANARY)
  })

  test('what was released before stays, the rest is withheld', { timeout: 60_000 }, async () => {
    const running = runJailed('echo first; sleep 2; cat .env; echo last', shared())
    await wait(1_400)
    save(at('.env'))
    const ran = await running

    expect(ran.status).toBe(WITHHELD_STATUS)
    expect(textOf(ran)).toMatch(/^first\nSignalbox withheld the output: .*\n$/)
  })

  test('output of a command that runs for a while comes in parts, and whole', {
    timeout: 60_000,
  }, async () => {
    const ran = await runJailed(
      'for i in 1 2 3; do echo "step $i"; sleep 0.6; done; printf "a\\0b"',
      shared(),
    )

    expect([ran.status, textOf(ran)]).toEqual([0, 'step 1\nstep 2\nstep 3\na\0b'])
  })

  test('a jail that cannot be built is no output of the command', async () => {
    const { jail, cwd, home } = shared()
    const wrapped = await jail.wrap({ command: 'echo hi', cwd, workspace: cwd, env: {} })
    if ('problem' in wrapped) throw new Error(wrapped.problem.code)
    const args = join(home, 'jail', 'run', wrapped.id, 'args')
    writeFileSync(args, ['--ro-bind', '/nosuch', '/nosuch', ''].join('\0'))
    // The second plan is as it should be.
    const ran = await runAsCli(wrapped.command, shared())

    expect([ran.status, textOf(ran)]).toEqual([0, 'hi\n'])
  })

  test('a run is used once, and one that was dropped never', async () => {
    const { jail, cwd } = shared()
    const wrap = async () => {
      const wrapped = await jail.wrap({ command: 'echo hi', cwd, workspace: cwd, env: {} })
      if ('problem' in wrapped) throw new Error(wrapped.problem.code)
      return wrapped
    }
    const [once, never] = [await wrap(), await wrap()]
    jail.drop(never.id)

    expect(textOf(await runAsCli(once.command, shared()))).toBe('hi\n')
    expect(textOf(await runAsCli(once.command, shared()))).not.toContain('hi')
    expect(textOf(await runAsCli(never.command, shared()))).not.toContain('hi')
  })

  test('nothing is left of runs that have ended', async () => {
    await runJailed('echo hi', shared())

    await expect.poll(() => readdirSync(join(shared().home, 'jail', 'run'))).toEqual([])
  })

  test('more processes than a run may have end it', { timeout: 60_000 }, async () => {
    const forks = `perl -e 'my $test = ${process.pid}; for (1 .. 6000) { my $p = fork(); if (!defined $p) { print "held\\n"; last } if (!$p) { sleep 20; exit } } print "all\\n"; sleep 20'`
    const ran = await runJailed(forks, shared())

    expect(textOf(ran)).not.toContain('all')
    await expect.poll(() => perls()).toBe(0)
  })

  test('a lower limit of the host stays in force, and the others are set', async () => {
    const { jail, cwd } = shared()
    const command = 'for l in c t d f u; do ulimit -$l; done'
    const wrapped = await jail.wrap({ command, cwd, workspace: cwd, env: {} })
    if ('problem' in wrapped) throw new Error(wrapped.problem.code)
    const ran = await runAsCli(`ulimit -d 3000000 -t 100; ${wrapped.command}`, shared())

    expect(textOf(ran)).toBe('0\n100\n3000000\n1048576\n2048\n')
  })

  test.each([
    'set -f',
    'set -u',
    'set -C',
    'set -o posix',
    'set -o pipefail',
    'shopt -s expand_aliases; alias exec=false cd=false builtin=false',
    'IFS=/0',
    "GLOBIGNORE='*'",
    'cd() { echo moved; }; exec() { :; }',
    'unset SIGNALBOX_CHILD',
  ])('a shell with %j runs it as well', async (start) => {
    mkdirSync(at('sub'))
    const { jail, cwd } = shared()
    const wrapped = await jail.wrap({ command: 'cd sub && pwd', cwd, workspace: cwd, env: {} })
    if ('problem' in wrapped) throw new Error(wrapped.problem.code)
    const ran = await runAsCli(`${start}\n${wrapped.command}`, shared())

    expect([textOf(ran), ran.folder]).toEqual([`${cwd}/sub\n`, `${cwd}/sub`])
  })
})

/** Other tests of the same kind may run on this machine. */
function perls(): number {
  const table = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
  return table.split('\n').filter((line) => line.includes(`my $test = ${process.pid};`)).length
}
