import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findCommand } from '../../../test/support/find-command.js'
import { aProgram } from '../../../test/support/program.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { completionScript } from './completion.js'

const program = aProgram()

const words = (line: string) => line.split(' ').length

/** The completions that bash would offer for a line. */
async function offered(line: string): Promise<string[]> {
  const file = join(await temporaryFolder(), 'completion.bash')
  writeFileSync(file, completionScript('bash', program))
  const asked = `source "$1"; COMP_WORDS=($2 "$3"); COMP_CWORD=${words(line)}; _signalbox; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = spawnSync('bash', ['--norc', '-c', asked, 'bash', file, line, ''], { encoding: 'utf8' })
  return stdout.split('\n').filter(Boolean)
}

test('commands, commands of commands and options are offered where they fit', async () => {
  expect(await offered('signalbox')).toEqual(
    expect.arrayContaining(['start', 'run', 'sessions', 'token', 'doctor', 'completion', '--help']),
  )
  expect(await offered('signalbox token')).toEqual(expect.arrayContaining(['create', 'list', 'revoke']))
  expect(await offered('signalbox token create')).toEqual(expect.arrayContaining(['--role', '--days']))
  expect(await offered('signalbox --json sessions')).toEqual(expect.arrayContaining(['--state', '--all']))
})

const EXPECTED: [line: string, some: string[], none: string[]][] = [
  ['signalbox', ['start', 'run', 'sessions', 'token', 'doctor', 'completion'], ['create', 'revoke']],
  ['signalbox token', ['create', 'list', 'revoke'], ['start', 'sessions']],
  ['signalbox token create', ['--role', '--days'], ['list', '--state']],
  ['signalbox sessions', ['--state', '--all'], ['create', 'start']],
]

/** The completions that zsh would offer: its own function that shows the list is replaced by one that prints it. */
const ZSH = `compdef() { }; _describe() { local -a shown; shown=("\${(@P)2}"); print -l -- "\${shown[@]}" }
source "$1"; words=(\${=2} ''); CURRENT=\${#words}; _signalbox`

test.skipIf(findCommand('zsh') === null)('zsh offers what fits', async () => {
  const file = join(await temporaryFolder(), '_signalbox')
  writeFileSync(file, completionScript('zsh', program))
  for (const [line, some, none] of EXPECTED) {
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', ZSH, 'zsh', file, line], { encoding: 'utf8' })
    const shown = stdout.split('\n').map((entry) => entry.split(':')[0])
    expect([line, stderr, shown]).toEqual([line, '', expect.arrayContaining(some)])
    expect(shown.filter((word) => none.includes(word ?? ''))).toEqual([])
  }
})

test.skipIf(findCommand('fish') === null)('fish offers what fits', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'signalbox.fish')
  writeFileSync(file, completionScript('fish', program))
  for (const [line, some, none] of EXPECTED) {
    // Options are offered once one has begun to type one.
    const begun = some[0]?.startsWith('--') ? '--' : ''
    const { stdout, stderr } = spawnSync(
      'fish',
      ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', file, `${line} ${begun}`],
      { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: folder } },
    )
    const shown = stdout.split('\n').map((entry) => entry.split('\t')[0])
    expect([line, stderr, shown]).toEqual([line, '', expect.arrayContaining(some)])
    expect(shown.filter((word) => none.includes(word ?? ''))).toEqual([])
  }
})

test.each(['bash', 'zsh', 'fish'] as const)('the script for %s has every command', (shell) => {
  const script = completionScript(shell, program)
  for (const command of program.commands.filter((sub) => sub.name() !== 'complete'))
    expect(script).toMatch(new RegExp(`\\b${command.name()}\\b`))
})

/** A program that says how it was asked for ids, in the place of ours. */
async function withStub() {
  const folder = await temporaryFolder()
  const fakeCommand = join(folder, 'signalbox')
  writeFileSync(
    fakeCommand,
    `#!/bin/sh\n[ "$1" = complete ] || exit 1\nprintf '%s\\n' "$*" >> "${folder}/calls"\nprintf 'ab12\\tFix it\\nab34\\tOther\\n'\n`,
    { mode: 0o755 },
  )
  mkdirSync(join(folder, 'inner'))
  return { folder, fakeCommand, env: { PATH: `${folder}:${process.env['PATH']}`, HOME: folder } }
}

const IDS: [line: string, typed: string, expected: string[]][] = [
  ['signalbox show', 'ab1', ['ab12']],
  ['signalbox stop --home /h ab12', 'ab', ['ab12', 'ab34']],
  ['signalbox policy explain', 'ab', ['ab12', 'ab34']],
  ['signalbox run --session', 'ab', ['ab12', 'ab34']],
  ['signalbox trust', 'inn', ['inner']],
  ['signalbox run --cwd', 'inn', ['inner']],
  ['signalbox run --model', 'ab', ['ab12', 'ab34']],
  ['signalbox run --effort', 'ab', ['ab12', 'ab34']],
  ['signalbox run --prompt', 'ab', ['ab12', 'ab34']],
  ['signalbox set ab12 --mode', 'ab', ['ab12', 'ab34']],
  ['signalbox prompts delete', 'ab', ['ab12', 'ab34']],
  // The name of a new token is not known, nor is the text of a prompt.
  ['signalbox token create', 'ab', []],
  ['signalbox run', 'ab', []],
  // Only the first word of a message is an id.
  ['signalbox send ab12', 'ab', []],
]

test('bash offers ids and folders, and passes the home on', async () => {
  const { folder, env } = await withStub()
  const file = join(folder, 'completion.bash')
  writeFileSync(file, completionScript('bash', program))
  for (const [line, typed, expected] of IDS) {
    const asked = `source "$1"; COMP_WORDS=($2 "$3"); COMP_CWORD=${words(line)}; _signalbox; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', asked, 'bash', file, line, typed], {
      encoding: 'utf8',
      cwd: folder,
      env,
    })
    expect([line, stderr, stdout.split('\n').filter(Boolean)]).toEqual([line, '', expected])
  }
  const calls = readFileSync(join(folder, 'calls'), 'utf8')
  expect(calls).toContain('complete session ab --home /h\n')
  for (const kind of ['model', 'effort', 'prompt', 'mode']) expect(calls).toContain(`complete ${kind} ab\n`)
})

test.skipIf(findCommand('fish') === null)('fish offers ids with titles, and folders', async () => {
  const { folder, env } = await withStub()
  const file = join(folder, 'signalbox.fish')
  writeFileSync(file, completionScript('fish', program))
  const offer = (line: string) =>
    spawnSync('fish', ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', file, line], {
      encoding: 'utf8',
      cwd: folder,
      env,
    }).stdout
  expect(offer('signalbox show ab')).toContain('ab12\tFix it\n')
  expect(offer('signalbox run --session ab')).toContain('ab34')
  expect(offer('signalbox trust inn')).toContain('inner')
})
