/**
 * Inserts a command at every position of another one: whenever bash would run it, the policy must deny it. Bash itself
 * decides whether it would: `rm` is a function that leaves a mark, the home is an empty folder, and no program can be
 * found.
 */

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bashCall } from '../../../test/support/bash-call.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { evaluate } from '../evaluate.js'

const SAMPLES = [
  'ls -la src/*.ts',
  'ls [a-c]* {1..3} {a,b}',
  'cat "a $HOME b" \'c d\' e',
  'echo ${HOME:0:2} ${x:-y} ${#HOME}',
  'echo ${HOME#/*} ${HOME/a/b} ${x[1]} "${x[@]}"',
  'echo $((1 + 2)) $[3] "$((4))"',
  '[[ -f a && b == c* || x =~ d+ ]]',
  '[[ 1 -eq 2 ]] || [ a = b ]',
  'for x in a b; do echo $x; done',
  'case $x in a|b*) ls;; [c]) pwd;; esac',
  'if true; then ls; else pwd; fi',
  'while false; do break; done < /dev/null',
  'cat <<E\na $HOME b\nE',
  "cat <<'E'\na b\nE",
  'cat <<-E && ls\n\ta\n\tE\npwd',
  'cat <<< "a b" | wc -l 2>&1',
  'a=b ls 2>/dev/null >&2',
  '(ls; pwd) && { ls; } & wait',
  'echo $\'a\\n\' $"b" \\a # c',
  'x=(a [1]=b) y[2]=c; ((x = 1))',
  'ls ~/a ~+ -- !(a) | head -n 1',
  'time ls; ! true',
  'echo `pwd` $(pwd; ls)',
  'select x in a; do break; done < /dev/null',
  'for ((i = 0; i < 1; i++)); do break; done',
  'f() { ls; }; coproc ls {3}<&1',
]

const PAYLOADS = [
  '$(rm -rf ~)',
  '`rm -rf ~`',
  '<(rm -rf ~)',
  '>(rm -rf ~)',
  '${x[$(rm -rf ~)]}',
  '\nrm -rf ~\n',
]

test('what bash would run is denied, wherever in a command it stands', { timeout: 120_000 }, async () => {
  const commands = SAMPLES.flatMap((sample) =>
    PAYLOADS.flatMap((payload, kind) =>
      Array.from({ length: sample.length + 1 }, (_, at) => at)
        // The first payload at every position, one of the others at each.
        .filter((at) => kind === 0 || at % (PAYLOADS.length - 1) === kind - 1)
        .map((at) => sample.slice(0, at) + payload + sample.slice(at)),
    ),
  )
  const ran = await runByBash(commands)
  const missed = commands.filter((command, index) => ran.has(String(index)) && verdictOf(command) !== 'deny')

  expect(ran.size).toBeGreaterThan(500)
  expect(missed).toEqual([])
})

function verdictOf(command: string): string {
  return evaluate(bashCall(command)).verdict
}

/** The indexes of the commands that ran the payload. */
async function runByBash(commands: readonly string[]): Promise<Set<string>> {
  const folder = await temporaryFolder()
  const [bin, home, marks] = ['bin', 'home', 'marks'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [bin, home, marks]) mkdirSync(path)
  commands.forEach((command, index) => {
    writeFileSync(join(folder, `${index}.sh`), command)
  })
  const script = `
    rm() { : > "$MARKS/$NUMBER"; }
    ls() { :; }; cat() { :; }; wc() { :; }; head() { :; }
    for ((NUMBER = 0; NUMBER < ${commands.length}; NUMBER++)); do
      ( ulimit -t 1; cd "$HOME"; IFS= read -r -d '' TEXT < "$FOLDER/$NUMBER.sh"; eval "$TEXT"; wait ) </dev/null >/dev/null 2>&1
    done`
  const { status } = spawnSync('/bin/bash', ['--norc', '--noprofile', '-c', script], {
    cwd: home,
    env: { PATH: bin, HOME: home, MARKS: marks, FOLDER: folder },
    timeout: 100_000,
  })
  expect(status).not.toBeNull()
  return new Set(readdirSync(marks))
}
