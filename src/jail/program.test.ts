/** Which proven commands run outside the jail because the jail would hide what they are about. */

import { expect, test } from 'vitest'
import { programObstacle } from './program.js'

function isOutside(text: string): boolean {
  const commands = text.split(/\s*(?:[;|]|&&)\s*/).map((part) =>
    part
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) => word.replaceAll(/['"]/g, '')),
  )
  return programObstacle(text, commands, '/usr/bin:/bin', true) !== null
}

test.each([
  'id',
  'ps aux',
  'ps aux | grep node | grep -v grep | head -5',
  'ps -ef | sort -k3 -r | head -n 10 | wc -l',
  'df -h; echo ===; free -m',
  'cd src && ls -la',
  'ls -la | tail -n +2 | cut -d: -f1',
  'ss -ltn | tr -s a',
  'find . -size +10k',
  'git config user.name',
  'git config --get user.email; id',
  'ip addr | grep inet',
])('outside: %s', (text) => {
  expect(isOutside(text)).toBe(true)
})

test.each([
  'id; cat README.md',
  'id; tree -I x notes.txt',
  'stat README.md; uniq a b',
  'id; find . | xargs -I% uniq %',
  'id; git ls-files | xargs strings',
  'ls -la; git log -p',
  'ps aux | grep -r KEY',
  'ps aux | grep KEY .env',
  'ps aux | sort .env',
  'ps aux | head -n 5 .env',
  'ps aux | sort -o x',
  'ps aux | uniq - x',
  'id; sed -n p README.md',
  'find . -size +1k -exec cat x +',
  'git log config',
  'git -C x config user.name',
  'git config user.name; git log -p',
])('in the jail: %s', (text) => {
  expect(isOutside(text)).toBe(false)
})
