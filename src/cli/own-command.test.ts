import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { commandOf, hint, ownCommandAnywhere, quoted } from './own-command.js'

async function checkout() {
  const folder = await temporaryFolder()
  const script = join(folder, 'dist', 'bin', 'signalbox.cjs')
  mkdirSync(join(folder, 'dist', 'bin'), { recursive: true })
  mkdirSync(join(folder, 'on-path'))
  writeFileSync(script, '')
  chmodSync(script, 0o755)
  return { folder, script }
}

test('from a checkout it is node and the file, from where the user is', async () => {
  const { folder, script } = await checkout()
  expect(commandOf({ script, cwd: folder, env: {} })).toBe('node dist/bin/signalbox.cjs')
  expect(commandOf({ script, cwd: '/elsewhere', env: {} })).toBe(`node ${script}`)
})

test('it is the name alone where the PATH leads to this program, and not to another one', async () => {
  const { folder, script } = await checkout()
  const env = { PATH: `/nowhere:${join(folder, 'on-path')}` }
  writeFileSync(join(folder, 'on-path', 'signalbox'), '', { mode: 0o755 })
  expect(commandOf({ script, cwd: folder, env })).toBe('node dist/bin/signalbox.cjs')

  symlinkSync(script, join(folder, 'linked'))
  mkdirSync(join(folder, 'link-path'))
  symlinkSync(script, join(folder, 'link-path', 'signalbox'))
  expect(commandOf({ script, cwd: folder, env: { PATH: join(folder, 'link-path') } })).toBe('signalbox')
})

test('a local installation is called through npx', () => {
  expect(
    commandOf({ script: '/p/node_modules/.bin/signalbox', cwd: '/p', env: { npm_command: 'exec' } }),
  ).toBe('npx signalbox')
})

test('commands in hints are those that work here, with the home of this call', () => {
  const text = 'Start it with "signalbox start".\nOr: signalbox run "what to do"'
  expect(hint(text, 'node a.cjs', ['sessions'])).toBe(
    'Start it with "node a.cjs start".\nOr: node a.cjs run "what to do"',
  )
  expect(hint(text, 'signalbox', ['sessions', '--home', '/my home'])).toBe(
    `Start it with "signalbox start --home '/my home'".\nOr: signalbox run "what to do" --home '/my home'`,
  )
})

test('another home than the default is part of the command for any folder', () => {
  const script = process.argv[1] ?? ''
  expect(ownCommandAnywhere('/my home', { SIGNALBOX_HOME: '/my home' })).toBe(`node ${quoted(script)}`)
  expect(ownCommandAnywhere('/my home', {})).toBe(`SIGNALBOX_HOME='/my home' node ${quoted(script)}`)
})
