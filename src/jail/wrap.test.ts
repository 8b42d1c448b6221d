/** A command gives the agent the same output, exit code and working folder in the jail as without it. */

import { spawnSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasBubblewrap, makeJailPlace, type Ran, runAsCli, runJailed } from '../../test/support/jail.js'
import { share } from '../../test/support/when-done.js'
import { MACHINE_FACTS, PROGRAM_FOLDERS } from '../policy/file/well-known-paths.js'
import { shellWord } from './shell-word.js'

const LONG = `echo ${'x'.repeat(60_000)}`

/** Commands that only read, in the forms in which agents write them. */
const SAME: Record<string, string> = {
  'plain text': 'cat src/a.txt',
  'quotes of all kinds': `echo 'single' "double $((1+1))" $'an\\tsi' "it's" 'say "hi"' \\'`,
  'backslashes and dollars': String.raw`printf '%s\n' 'a\b' "a\\b" '$HOME' "\$HOME" \$x '\x41'`,
  'several lines': 'echo one\necho two\n\necho three\n',
  'a here-document': "cat <<'EOF'\n$HOME 'quoted' \"double\"\n\\n\nEOF\necho after",
  'a here-document with a variable': 'x=1; cat <<E | tr 1 2\nvalue $x\nE',
  'a here-string': 'cat <<< "hello there"',
  'a trailing comment': 'echo hi # a comment',
  'only a comment at the end': 'echo hi\n# done',
  'exit with a code': 'echo before; exit 3',
  'a failing command': 'cat nosuch',
  'a command that is not there': 'nosuchprogram --help',
  'a syntax error': 'echo (',
  'an open quote': `echo 'never closed`,
  'set -e': 'set -e; false; echo never',
  'set -u': 'set -u; echo $nosuchvariable; echo never',
  pipefail: 'set -o pipefail; false | cat; echo $?',
  'a pipe': 'cat src/a.txt src/b.txt | sort | head -n 3 | wc -l',
  'both streams interleaved': 'for i in 1 2 3 4 5 6 7 8; do echo out $i; echo err $i >&2; done',
  'a background job that is waited for': 'sleep 0.05 & wait; echo done',
  'a background job that writes first': '(echo late) & wait $!; echo $?',
  'a trap at the end': `trap 'echo bye' EXIT; echo hi`,
  'a child ended by a signal': `sh -c 'kill -9 $$' | cat; echo "\${PIPESTATUS[0]}"`,
  'output that is not UTF-8': String.raw`printf '\xff\xfe\x00\x80end\n'`,
  'a megabyte of output': 'head -c 1048576 /dev/zero | tr "\\0" y',
  'a very long command': LONG,
  'unicode in the command': 'echo "Grüße 漢字 🚦"',
  'control characters': 'printf %s "a\tb\x01c" | od -c',
  'no input': 'cat; echo end',
  'process substitution': 'diff <(echo a) <(echo b); echo $?',
  'a subshell': '(cd src && pwd -P); pwd -P',
  'cd into a folder': 'cd src',
  'cd and a failing command': 'cd src; false',
  'cd and exit': 'cd src; exit 0',
  'cd through a link': 'cd link && pwd',
  'cd in several steps': 'cd src && cd .. && cd src/deep',
  'cd into a folder with odd characters': `cd "src/it's \\$x\n"; echo *`,
  'cd that fails': 'cd nosuch || echo no',
  pushd: 'pushd src >/dev/null; ls',
  'a loop with variables': 'for f in src/*.txt; do n=$(wc -l < "$f"); echo "$f $n"; done',
  'while read': 'cat src/b.txt | while read -r line; do echo "[$line]"; done',
  'find and xargs': "find src -name '*.txt' -print0 | sort -z | xargs -0 wc -c",
  'arguments of the shell': 'echo "$# $0"; echo "${@:-none}"',
  globbing: 'shopt -s nullglob; echo src/*.txt nosuch*',
  'extended globs are off': 'shopt extglob',
  functions: 'f() { echo "f $1"; return 4; }; f x; echo $?',
  arrays: 'a=(1 2 3); echo "${a[@]: -1}" "${#a[@]}"',
  'what the last command was': 'true; echo $?; false; echo $?',
  'git without a repository': 'git status',
  umask: 'umask',
  'facts about the machine': `cat ${MACHINE_FACTS.filter((path) => !/loadavg|uptime|meminfo|cpuinfo/.test(path)).join(' ')} 2>/dev/null`,
  'facts by a pattern': 'cat /etc/*release; grep -c processor /proc/cpuinfo; grep MemTotal /proc/meminfo',
  'names of programs': PROGRAM_FOLDERS.map((folder) => `ls ${folder} 2>&1`).join('; '),
  'rights and owners': 'stat -c "%A %U %s" src/a.txt; ls -l src/a.txt | cut -c1-10',
}

describe.skipIf(!hasBubblewrap)('in the jail as without it', () => {
  const shared = share(async () => {
    const place = await makeJailPlace()
    await mkdir(join(place.cwd, 'src', 'deep'), { recursive: true })
    await mkdir(join(place.cwd, 'src', "it's $x\n"))
    await writeFile(join(place.cwd, 'src', "it's $x\n", 'inner.txt'), 'inner')
    await writeFile(join(place.cwd, 'src', 'a.txt'), 'hello\n')
    await writeFile(join(place.cwd, 'src', 'b.txt'), 'one\ntwo\n  three\\ four\n')
    await symlink('src', join(place.cwd, 'link'))
    return place
  }, 60_000)

  test.each(Object.entries(SAME))('%s', async (_, command) => {
    const place = shared()
    const [plain, jailed] = [await runAsCli(command, place), await runJailed(command, place)]

    expect(seenBy(jailed, place.cwd)).toEqual(seenBy(plain, place.cwd))
  })

  test('a folder outside the workspace is not kept: the shell stays where it was', async () => {
    const place = shared()
    const ran = await runJailed('cd src; for d in /usr; do cd $d; done; pwd', place)

    expect(ran.output.toString()).toBe('/usr\n')
    expect(ran.folder).toBe(place.cwd)
  })

  test('the next command starts in the folder that the last one ended in', async () => {
    const place = shared()
    const first = await runJailed('cd src', place)
    const second = await runJailed('pwd', place, { cwd: first.folder ?? '' })

    expect(second.output.toString()).toBe(`${join(place.cwd, 'src')}\n`)
  })

  test('a command that is killed leaves no process behind, in the jail or outside', async () => {
    const place = shared()
    const abort = new AbortController()
    // Other tests of the same kind may run on this machine.
    const [one, two] = [`sleep 1${process.pid}.1`, `sleep 1${process.pid}.2`]
    const running = runJailed(`${one} & (${two} & wait) & echo started; wait`, place, {
      signal: abort.signal,
    })
    await expect.poll(() => processesNamed(one).length * processesNamed(two).length).toBeGreaterThan(0)

    abort.abort()
    await running

    await expect.poll(() => [one, two, place.home].flatMap(processesNamed)).toEqual([])
  })

  test.each([2, 5, 8, 11, 15, 20, 30])(
    'nor does one that is killed %i ms after its start',
    async (delayMs) => {
      const place = shared()
      const abort = new AbortController()
      const sleeping = `sleep 1${process.pid}.4${delayMs}`
      const running = runJailed(sleeping, place, { signal: abort.signal })
      setTimeout(() => abort.abort(), delayMs)
      await running

      await expect.poll(() => processesNamed(sleeping)).toEqual([])
    },
  )

  test('what a command leaves in the background ends with it', async () => {
    const place = shared()
    const left = `sleep 1${process.pid}.3`
    const ran = await runJailed(`${left} & echo now`, place)

    expect(ran).toMatchObject({ status: 0 })
    await expect.poll(() => processesNamed(left)).toEqual([])
  })

  test('nothing can be written, and the command says so', async () => {
    const place = shared()
    const ran = await runJailed('echo x > new; touch src/a.txt; mkdir d; rm src/a.txt', place)

    expect(ran.output.toString().match(/Read-only file system/g)).toHaveLength(4)
    expect(ran.status).toBe(1)
  })

  test('the temporary folder is its own, and gone afterwards', async () => {
    const place = shared()
    const first = await runJailed('echo x > /tmp/signalbox-jail-test && cat /tmp/signalbox-jail-test', place)
    const second = await runJailed('cat /tmp/signalbox-jail-test', place)

    expect(first.output.toString()).toBe('x\n')
    expect(second.output.toString()).toContain('No such file')
  })

  test.each([
    ['a NUL', 'echo a\0b'],
    ['half a character', 'echo \ud800'],
    ['more than an argument can hold', `echo ${'x'.repeat(140_000)}`],
  ])('a command with %s is not wrapped', async (_, command) => {
    await expect(runJailed(command, shared())).rejects.toThrow(/too long/)
  })

  test('a command outside the workspace is not wrapped', async () => {
    const place = shared()
    await expect(runJailed('ls', place, { cwd: place.folder })).rejects.toThrow(/inside the workspace/)
  })
})

/** Where nothing was noted, the next command starts where this one did. */
function seenBy({ output, folder, ...ended }: Ran, cwd: string) {
  return { ...ended, output: output.toString('latin1'), folder: folder ?? cwd }
}

function processesNamed(text: string): string[] {
  const { stdout } = spawnSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line.includes(text) && !line.includes('ps -eo'))
}

test('a word is quoted as a whole, whatever is in it', () => {
  expect(shellWord(`it's "a" \\ $x\n`)).toBe(`'it'"'"'s "a" \\ $x\n'`)
  expect(shellWord('/usr/bin/bwrap')).toBe('/usr/bin/bwrap')
  expect(shellWord('a\0b')).toBeNull()
})
