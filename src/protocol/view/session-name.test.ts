import { expect, test } from 'vitest'
import { nameFromPrompt, sessionName } from './session-name.js'

test('a prompt gives a name of at most 60 characters, cut between words', () => {
  const name = nameFromPrompt('Fix the login test that fails on Safari since the last release of the shop')
  expect(name).toBe('Fix the login test that fails on Safari since the last…')
  expect(name?.length).toBeLessThanOrEqual(60)
})

test.each([
  ['# Fix **login**\n\n- use `tabs`', 'Fix login use tabs'],
  ['see [the page](https://example.com/x) first', 'see the page first'],
  ['```ts\nconst a = 1\n```\nexplain this', 'const a = 1 explain this'],
  ['> quoted\n1. one', 'quoted one'],
  ['/review the login page', 'the login page'],
  ['/etc/hosts looks wrong', '/etc/hosts looks wrong'],
  ['rename snake_case to __init__ in a*b', 'rename snake_case to init in a*b'],
])('the name of %j has no Markdown and no command', (prompt, name) => {
  expect(nameFromPrompt(prompt)).toBe(name)
})

test.each(['/compact', ' /plugin:do-it \n', '', '---'])('%j gives no name', (prompt) => {
  expect(nameFromPrompt(prompt)).toBeNull()
})

test('the title comes before the first prompt, and the folder after both', () => {
  const session = { id: 'ses_1', title: 'Login', name: 'Fix it', cwd: '/home/kim/shop/' }
  expect(sessionName(session)).toBe('Login')
  expect(sessionName({ ...session, title: null })).toBe('Fix it')
  expect(sessionName({ ...session, title: null, name: null })).toBe('shop')
})
