import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { program } from '../program.js'
import { completionScript } from './completion.js'

const words = (line: string) => line.split(' ').length

/** What bash would offer behind a line. */
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

test.each(['bash', 'zsh', 'fish'] as const)('the script for %s has every command', (shell) => {
  const script = completionScript(shell, program)
  for (const command of program.commands) expect(script).toMatch(new RegExp(`\\b${command.name()}\\b`))
})
