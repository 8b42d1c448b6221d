/** Nested repositories: git would run programs that their settings name. */

import { describe, expect, test } from 'vitest'
import { evaluate } from '../../evaluate.js'
import { type PlacedFiles, placedFiles } from '../../file/placed-files.js'

const WORKSPACE = '/home/dev/project'
const BARE: PlacedFiles = {
  'vendor/HEAD': { file: '' },
  'vendor/objects': { dir: true },
  'vendor/refs': { dir: true },
  'vendor/config': { file: '' },
  'vendor/src/a.c': { file: '' },
  'lib/.git/HEAD': { file: '' },
  '.git/HEAD': { file: '' },
  'src/a.ts': { file: '' },
}

function verdict(tool: string, input: unknown, placed: PlacedFiles = BARE, mode = 'default' as const) {
  const { verdict: said, rule } = evaluate({
    tool,
    input,
    mode,
    cwd: WORKSPACE,
    home: '/home/dev',
    fs: placedFiles(placed, WORKSPACE),
  })
  return `${said} ${rule}`
}

describe('git in a folder that is a repository itself', () => {
  test.each([
    'git -C vendor status',
    'git -C vendor/src log',
    '(cd vendor && git status)',
    'cd vendor/src; git diff',
    'cd vendor && cd src && git log',
    'git -C lib status',
    'git -C src/../vendor status',
    'cd $X && git status',
    'git -C "$X" status',
    'env -C vendor git status',
  ])('%s is asked', (command) => {
    expect(verdict('Bash', { command })).toMatch(/^ask/)
  })

  test.each(['git status', 'git -C src log', 'cd src && git diff'])('%s is allowed', (command) => {
    expect(verdict('Bash', { command })).toBe('allow read-only')
  })

  test('a workspace that is itself such a folder is asked', () => {
    const placed: PlacedFiles = { HEAD: { file: '' }, objects: { dir: true }, refs: { dir: true } }
    expect(verdict('Bash', { command: 'git status' }, placed)).toBe('ask code')
  })

  test.each(['vendor/config', 'vendor/hooks/pre-commit', 'other/HEAD', 'vendor/commondir'])(
    'writing %s is asked as writing a control file',
    (file_path) => {
      expect(verdict('Write', { file_path, content: '' })).toBe('ask control-file')
    },
  )

  test.each(['src/config', 'src/hooks/use-a.ts'])('%s is an ordinary file', (file_path) => {
    expect(verdict('Write', { file_path, content: '' })).toBe('ask write')
  })
})
