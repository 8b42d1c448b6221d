import { describe, expect, test } from 'vitest'
import type { Grant } from '../../protocol/event/request-event.js'
import { grantText } from '../../protocol/policy/grant-text.js'
import { evaluate } from '../evaluate.js'
import { type PlacedFiles, placedFiles } from '../file/placed-files.js'
import { exactGrant, grantFor } from './grant.js'

const CWD = '/home/dev/project'
const NOW = '2026-11-15T12:00:00.000Z'
const FILES: PlacedFiles = {
  ...Object.fromEntries(['f', 'g', '.env', 'src/a.ts', 'package.json'].map((path) => [path, { file: '' }])),
  'src/twin.txt': { hardlink: '.env' },
}

interface Call {
  tool: string
  input: unknown
  cwd?: string
}

const bash = (command: string): Call => ({ tool: 'Bash', input: { command } })
const write = (path: string): Call => ({ tool: 'Write', input: { file_path: path, content: '' } })
const fetched = (url: string): Call => ({ tool: 'WebFetch', input: { url, prompt: 'Sum it up' } })

function callOf({ tool, input, cwd = CWD }: Call) {
  const fs = placedFiles(FILES, CWD)
  return { tool, input, mode: 'default' as const, cwd, workspace: CWD, home: '/home/dev', fs, now: NOW }
}

const given = (call: Call): Grant => grantFor(callOf(call))

function verdict(call: Call, ...grants: Grant[]): string {
  const found = evaluate({ ...callOf(call), grants })
  return `${found.verdict} ${found.rule}`
}

/** The verdict on a call after the user has allowed another one for the session. */
const after = (allowed: Call, call: Call) => verdict(call, given(allowed))

describe('a grant for a command', () => {
  test('covers the same words in the same folder, also beside commands that only read', () => {
    const allowed = bash('npm test')

    expect(grantText(given(allowed))).toBe(
      `Bash: npm test, with exactly these words in ${CWD}, also beside commands that only read`,
    )
    expect(after(allowed, allowed)).toBe('allow grant')
    expect(after(allowed, bash('npm test 2>&1 | tail -5'))).toBe('allow grant')
    expect(after(bash('npm test 2>&1 | tail -5'), bash('npm test'))).toBe('allow grant')
    expect(after(bash('cd src && npm test'), bash('cd src && npm test | tail -3'))).toBe('allow grant')
  })

  test.each([
    ['npm test', 'npm test --prefix /elsewhere', 'program'],
    ['npm test', 'npm test -- --watch', 'program'],
    ['npm test', 'npm publish', 'program'],
    ['npm test', 'cd src && npm test', 'program'],
    ['npm test', 'npm test; make', 'code'],
    ['npm test', 'npm test $(id)', 'program'],
    ['npm test', 'echo y | npm test', 'program'],
    ['npm test', 'npm test < f', 'program'],
    ['npm test', 'npm test > src/out', 'write'],
    ['npm test', 'npm test > ../out', 'outside-workspace'],
    ['npm test', 'PATH=/elsewhere npm test', 'environment'],
    ['npm test', 'PATH=/elsewhere; npm test', 'environment'],
    ['npm test', 'export NODE_OPTIONS=-r/elsewhere; npm test', 'environment'],
    ['npm test', 'npm() { make; }; npm test', 'code'],
    ['npm test', 'hash -p /elsewhere npm; npm test', 'environment'],
    ['make build', 'make build SHELL=/elsewhere/sh', 'code'],
    ['make build', 'make build -f /elsewhere/x', 'code'],
    ['make build', 'make -C .. build', 'code'],
    ['git commit --allow-empty -m x', 'git commit --allow-empty -F .env', 'protected-read'],
    ['curl https://a.example', 'curl https://b.example', 'network'],
    ['sudo make install', 'sudo make all', 'privilege'],
    ['rm f', 'rm g', 'delete'],
  ])('of %j does not cover %j', (allowed, command, rule) => {
    expect(after(bash(allowed), bash(allowed))).toBe('allow grant')
    expect(after(bash(allowed), bash(command))).toBe(`ask ${rule}`)
  })

  test('in another folder of the session is another command', () => {
    const [text, words] = [bash('for i in 1 2; do npm run "$i"; done'), bash('npm test')]

    for (const allowed of [text, words]) {
      expect(after(allowed, allowed)).toBe('allow grant')
      expect(after(allowed, { ...allowed, cwd: `${CWD}/src` })).toMatch(/^ask /)
    }
  })

  test('of which the words are not known covers the very text', () => {
    const allowed = bash('npm test $(cat f)')

    expect(grantText(given(allowed))).toBe(`Bash: only this exact command in ${CWD}: npm test $(cat f)`)
    expect(after(allowed, allowed)).toBe('allow grant')
    expect(after(allowed, bash('npm test $(cat g)'))).toMatch(/^ask /)
  })

  test('for a shell other than Bash covers the very text', () => {
    for (const tool of ['Monitor', 'PowerShell']) {
      const allowed = { tool, input: { command: 'npm test' } }
      expect(after(allowed, allowed), tool).toBe('allow grant')
      expect(after(allowed, { tool, input: { command: 'npm test; ls' } }), tool).toMatch(/^ask /)
      expect(after(bash('npm test'), allowed), tool).toMatch(/^ask /)
    }
  })

  test('several grants cover a text together', () => {
    const grants = [given(bash('npm test')), given(bash('make build'))]

    expect(verdict(bash('npm test && make build'), ...grants)).toBe('allow grant')
    expect(verdict(bash('npm test && make build'), ...grants.slice(1))).toMatch(/^ask /)
  })
})

describe('a grant for a command that only changes files', () => {
  test('covers other files of the workspace', () => {
    expect(grantText(given(bash('sed -i s/a/b/ f')))).toBe(
      'Bash: sed -i s/a/b/ FILE…, where FILE… are unprotected files of the workspace',
    )
    expect(after(bash('sed -i s/a/b/ f'), bash('sed -i s/a/b/ g src/a.ts'))).toBe('allow grant')
    expect(after(bash('touch f'), bash('touch src/new.ts'))).toBe('allow grant')
    expect(after(bash('mkdir -p out'), bash('mkdir -p src/deep/er'))).toBe('allow grant')
    expect(after(bash('git add f'), bash('git add src/a.ts'))).toBe('allow grant')
  })

  test.each([
    ['sed -i s/a/b/ f', "sed -i 's/.*/touch x/e' f"],
    ['sed -i s/a/b/ f', "sed -i s/a/b/ f -e '1e id'"],
    ['sed -i s/a/b/ f', 'sed -i s/a/b/ ../x'],
    ['sed -i s/a/b/ f', 'sed -i s/a/b/ src'],
    ["sed -i 's/.*/touch x/e' f", "sed -i 's/.*/touch x/e' g"],
    ['sed -in s/a/b/ f', 'sed -in s/a/b/ g'],
    ['git add f', 'git add src/twin.txt'],
    ['touch f', 'touch .git/hooks/pre-commit'],
    ['touch f', 'touch -r .env f'],
    ['touch f', 'cd .. && touch f'],
    ['cp f x', 'cp f src'],
    ['cp f x', 'cp -t /elsewhere f'],
    ['chmod +x f', 'chmod 777 f'],
    ['git add f', 'git add .env'],
    ['git add f', 'git add .'],
    ['git add f', 'git add :/'],
    ['git add f', "git add '*'"],
    ['git add f', "git add ':(glob)**'"],
  ])('of %j does not cover %j', (allowed, command) => {
    expect(after(bash(allowed), bash(allowed))).toBe('allow grant')
    expect(after(bash(allowed), bash(command))).toMatch(/^ask /)
  })
})

describe('a grant for another tool', () => {
  test('that changes files covers ordinary files of the workspace', () => {
    expect(grantText(given(write('src/a.ts')))).toBe('Write: ordinary files of the workspace')
    expect(after(write('src/a.ts'), write('src/b.ts'))).toBe('allow grant')
    expect(after(write('src/a.ts'), write('/elsewhere/a.ts'))).toBe('ask outside-workspace')
    expect(after(write('src/a.ts'), write('.git/hooks/pre-commit'))).toBe('ask control-file')
    expect(after(write('src/a.ts'), { tool: 'Edit', input: { file_path: 'src/a.ts' } })).toBe('ask write')
  })

  test('that reaches further covers the very call', () => {
    const read = (path: string) => ({ tool: 'Read', input: { file_path: path } })

    expect(grantText(given(read('.env')))).toBe('Read: only this exact call')
    expect(after(read('.env'), read('.env'))).toBe('allow grant')
    expect(after(read('.env'), read('src/.env'))).toBe('ask protected-read')
    expect(after(write('/elsewhere/a.ts'), write('/elsewhere/b.ts'))).toBe('ask outside-workspace')
  })

  test('that fetches pages covers those of the same server', () => {
    const allowed = fetched('https://a.example/x')

    expect(grantText(given(allowed))).toBe('WebFetch: pages of https://a.example')
    expect(after(allowed, fetched('https://a.example/y'))).toBe('allow grant')
    for (const url of [
      'https://b.example/x',
      'http://a.example/x',
      'https://a.example:8443/x',
      'https://a.example@b.example/x',
      'https://a.example.b.example/',
      'not a page',
    ])
      expect(after(allowed, fetched(url)), url).toBe('ask network')
    expect(grantText(given(fetched('not a page')))).toBe('WebFetch: only this exact call')
  })

  test('of others covers its calls, but none in which more is found', () => {
    const shell = (command: string) => ({ tool: 'mcp__box__run_shell', input: { command } })
    const note = (input: unknown) => ({ tool: 'mcp__box__note', input })

    expect(grantText(given(note({ text: 'a' })))).toBe('mcp__box__note: every call of this tool')
    expect(after(note({ text: 'a' }), note({ text: 'b' }))).toBe('allow grant')
    expect(after(note({ text: 'a' }), note({ path: '.env' }))).toBe('ask protected-read')
    expect(after(shell('ls'), shell('make'))).toBe('ask code')
    expect(after(shell('make'), shell('make'))).toBe('allow grant')
    expect(after(shell('make'), shell('make install'))).toBe('ask code')
  })
})

describe('any grant', () => {
  test('never lifts a denial', () => {
    expect(after(bash('rm -rf ~'), bash('rm -rf ~'))).toBe('deny destroy-tree')
    expect(after(bash('touch f'), bash('touch .env'))).toBe('deny protected-change')
    expect(after(write('f'), write('.env'))).toBe('deny protected-change')
  })

  test('does not lift what only a user can answer', () => {
    const question = { tool: 'AskUserQuestion', input: {} }
    expect(after(question, question)).toBe('ask for-a-person')
    const escape = { tool: 'Bash', input: { command: 'npm test', dangerouslyDisableSandbox: true } }
    expect(after(bash('npm test'), escape)).toBe('ask sandbox-escape')
  })

  test('ends when its time is up', () => {
    const grant = given(bash('npm test'))

    expect(verdict(bash('npm test'), { ...grant, until: '2026-11-15T12:00:00.001Z' })).toBe('allow grant')
    expect(verdict(bash('npm test'), { ...grant, until: NOW })).toBe('ask program')
  })

  test('does not hold once more is found in the same call than the user has seen', () => {
    const allowed = bash('touch f')
    const { findings: _, ...grant } = given(allowed)

    expect(verdict(allowed, { ...grant, findings: [] })).toBe('ask write')
  })

  test('of an earlier version covers the very command, not its family', () => {
    const grant = { tool: 'Bash', command: 'npm test' }

    expect(verdict(bash('npm test'), grant)).toBe('allow grant')
    expect(verdict(bash('npm test --prefix /elsewhere'), grant)).toBe('ask program')
    expect(verdict(write('src/b.ts'), { tool: 'Write' })).toBe('allow grant')
    expect(verdict(fetched('https://a.example'), { tool: 'WebFetch' })).toBe('ask network')
  })

  test('for a call that a user has changed covers the changed call', () => {
    expect(verdict(bash('make all'), exactGrant('Bash', { command: 'make all' }))).toBe('allow grant')
    expect(verdict(bash('make'), exactGrant('Bash', { command: 'make all' }))).toBe('ask code')
    const { input } = fetched('https://a.example')
    expect(verdict(fetched('https://a.example'), exactGrant('WebFetch', input))).toBe('allow grant')
  })

  test('for a call that is too large covers the very call', () => {
    const endless = bash('cat a; '.repeat(1_100))

    expect(given(endless)).toMatchObject({ tool: 'Bash', folder: CWD })
    expect(given(endless).words).toBeUndefined()
  })
})
