import { PassThrough } from 'node:stream'
import type { ReadStream } from 'node:tty'
import { expect, test } from 'vitest'
import { aTerminal } from '../../../test/support/captured-terminal.js'
import { createTerminal } from './terminal.js'

const RED = '\u001b[31m'

test('what another user has answered before the question is shown is not asked', async () => {
  const answered = new AbortController()
  const asked = createTerminal(process).ask('Allow? ', answered.signal)
  answered.abort()
  await expect(asked).rejects.toThrow('no longer pending')
})

test('our own colours are shown, and the control characters beside them are made visible', () => {
  const { terminal, stdout, stderr } = aTerminal({ columns: 80 })
  const text = `${terminal.color.red('bad')} \u001b[2Kfrom an agent`

  terminal.out(`${text}\n`)
  terminal.note(text)

  expect(stdout()).toBe(`${RED}bad\u001b[39m ␛[2Kfrom an agent\n`)
  expect(stderr()).toBe(stdout())
})

test('text that looks like one of our colours stays text', () => {
  const { terminal, stdout } = aTerminal({ columns: 80 })

  terminal.out('\ufdd031\ufdd1red\n')

  expect(stdout()).not.toContain('\u001b')
})

test.each([
  ['a terminal', { columns: 80 }, true],
  ['a terminal with NO_COLOR', { columns: 80, env: { NO_COLOR: '1' } }, false],
  ['a dumb terminal', { columns: 80, env: { TERM: 'dumb' } }, false],
  ['a pipe', { columns: null }, false],
  ['a pipe with FORCE_COLOR', { columns: null, env: { FORCE_COLOR: '1' } }, true],
  ['a terminal with FORCE_COLOR=0', { columns: 80, env: { FORCE_COLOR: '0' } }, false],
  ['both variables', { columns: 80, env: { FORCE_COLOR: '1', NO_COLOR: '1' } }, false],
])('%s: colours are shown or not', (_, options, isShown) => {
  const { terminal, stdout } = aTerminal(options)
  terminal.out(terminal.color.red('x'))
  expect(stdout().includes(RED)).toBe(isShown)
})

test('each stream decides for itself: results go into a pipe, notes to the terminal', () => {
  const { terminal, stdout, stderr } = aTerminal({ columns: null, errorColumns: 80 })

  terminal.out(terminal.color.red('x'))
  terminal.note(terminal.color.red('x'))

  expect([stdout(), stderr()]).toEqual(['x', `${RED}x\u001b[39m\n`])
})

test('a pipe gets results unchanged', () => {
  const { terminal, stdout } = aTerminal({ columns: null })
  const text = `${'word '.repeat(50)}\u0007\n`

  terminal.out(text)

  expect(stdout()).toBe(text)
})

test('a question that waits for a key stays below notes, also where it needs two rows', async () => {
  // Cast: what reading keys uses of a terminal.
  const stdin = Object.assign(new PassThrough(), {
    isRaw: false,
    setRawMode: () => {},
  }) as unknown as ReadStream
  const { terminal, stderr } = aTerminal({ columns: 30, stdin })
  const answered = new AbortController()
  const asked = terminal.key('[y] allow this call  [n] deny it: ', ['y', 'n'], answered.signal)
  const question = '[y] allow this call  [n]\ndeny it: '
  await expect.poll(stderr).toBe(question)

  terminal.note('The daemon is away.')

  expect(stderr()).toBe(`${question}\u001b[1A\r\u001b[JThe daemon is away.\n${question}`)
  answered.abort()
  await expect(asked).rejects.toThrow('no longer pending')
  terminal.note('Done.')
  expect(stderr().endsWith(`${question}\nDone.\n`)).toBe(true)
})
