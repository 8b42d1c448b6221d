/** Compares the programs that our tables trust to accept attached option values with the real programs. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type OptionTable, optionTable, READS_CLUSTERS } from '../option.js'
import { PLAIN } from './plain-table.js'

/** For programs with their own check: options with a value, a flag beside them, and operands. */
const OTHERS: Readonly<Record<string, { options: string; flag: string; operands: readonly string[] }>> = {
  date: { options: '-d:text -r:look', flag: 'u', operands: ['+%Y'] },
  seq: { options: '-s:text -f:text', flag: 'w', operands: ['3'] },
  diff: { options: '-U:number -C:number -W:number -x:text -I:text -L:text', flag: 'a', operands: ['a', 'b'] },
  sed: { options: '-e:text', flag: 'n', operands: ['a'] },
  grep: {
    options: '-e:text -f:read -m:number -A:number -B:number -C:number',
    flag: 'n',
    operands: ['o', 'a'],
  },
  egrep: { options: '-m:number -A:number', flag: 'n', operands: ['o', 'a'] },
  fgrep: { options: '-m:number -A:number', flag: 'n', operands: ['o', 'a'] },
  rg: {
    options:
      '-A:number -B:number -C:number -e:text -f:read -g:text -j:number -m:number -M:number -r:text -E:word',
    flag: 'n',
    operands: ['o', 'a'],
  },
  timeout: { options: '-k:number -s:word', flag: 'v', operands: ['3', 'cat', 'a'] },
  nice: { options: '-n:number', flag: '', operands: ['cat', 'a'] },
  realpath: { options: '', flag: 'z', operands: ['a'] },
  tar: { options: '-f:read', flag: 't', operands: [] },
}

/** Values that are valid for the program, where "3" or "o" is not. */
const VALUES: Readonly<Record<string, string>> = {
  'timeout -s': 'KILL',
  'rg -E': 'utf-8',
  'sed -e': 'p',
  'grep -f': 'a',
  'rg -f': 'a',
  'tar -f': 'a',
  'date -d': '2020-01-01',
  'date -r': 'a',
  'seq -f': '%g',
  'sort -k': '1',
  'sort -S': '1M',
  'cmp -i': '1',
  'df -t': 'ext4',
  'df -x': 'ext4',
  'du -t': '1K',
  'nl -n': 'rz',
  'nl -b': 'a',
  'nl -f': 'a',
  'nl -h': 'a',
  'od -A': 'x',
  'od -t': 'x1',
  'strings -t': 'x',
  'strings -e': 's',
  'cut -f': '1',
  'cut -c': '1-2',
  'cut -b': '1-2',
  'cksum -a': 'md5',
  'b2sum -l': '128',
  'join -o': '1.1',
  'join -1': '1',
  'join -2': '1',
  'join -j': '1',
  'join -a': '1',
  'join -v': '1',
  'shuf -i': '1-1',
  'expand -t': '4',
  'unexpand -t': '4',
  'hexdump -e': '"%x"',
  'column -n': 'x',
  'column -N': 'x',
  'column -R': '1',
  'column -H': '1',
}

const OPERANDS: Readonly<Record<string, readonly string[]>> = {
  cmp: ['a', 'b'],
  join: ['a', 'b'],
  shuf: [],
  numfmt: ['3'],
  pgrep: ['no-such-program-at-all'],
  fd: ['a'],
  fdfind: ['a'],
  df: ['.'],
}
/** Options that require another one. */
const BESIDE: Readonly<Record<string, readonly string[]>> = { cut: ['-f1'], column: ['-t'] }

const scratchFolders: string[] = []

afterAll(() => {
  for (const folder of scratchFolders) rmSync(folder, { recursive: true, force: true })
})

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'attached-value-'))
  scratchFolders.push(folder)
  writeFileSync(join(folder, 'a'), 'one two\nthree four\nfour o 3x\n')
  writeFileSync(join(folder, 'b'), 'one two\nthree 4\n')
  return folder
}

function run(program: string, words: readonly string[], cwd: string): string {
  const { status, stdout } = spawnSync(program, words, { cwd, input: 'one o two\n', timeout: 20_000 })
  // Free disk space changes between the runs.
  const text = stdout.toString('latin1')
  return `${status}\n${program === 'df' ? text.replace(/[\d ]+/g, ' ') : text}`
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version'], { input: '' }).error === undefined
}

function valuesIn(table: OptionTable): [string, string][] {
  return [...table].flatMap(([name, { kind, isOptional }]) =>
    /^-[^-#]$/.test(name) && kind !== null && !isOptional ? [[name, kind === 'number' ? '3' : 'o']] : [],
  )
}

const MAX_FLAGS = 6

const programs = [...READS_CLUSTERS].filter(isInstalled)

test.each(programs)('%s reads a value behind the letter as it reads the next word', (program) => {
  const other = OTHERS[program]
  const table = optionTable(other?.options ?? PLAIN[program]?.options ?? '')
  const flags = other ? [other.flag] : [...table].flatMap(([name, row]) => flagOf(name, row.kind))
  const operands = other?.operands ?? OPERANDS[program] ?? ['a']
  const folder = scratch()

  const wrong = valuesIn(table).flatMap(([option, usual]) => {
    const value = VALUES[`${program} ${option}`] ?? usual
    const beside = option === BESIDE[program]?.[0]?.slice(0, 2) ? [] : (BESIDE[program] ?? [])
    const rest = [...beside, ...operands]
    return flags.slice(0, MAX_FLAGS).flatMap((flag) => {
      const apart = run(program, [...(flag ? [`-${flag}`] : []), option, value, ...rest], folder)
      const joined = run(program, [`-${flag}${option.slice(1)}${value}`, ...rest], folder)
      return joined === apart ? [] : [`-${flag}${option.slice(1)}${value}: ${joined}`]
    })
  })

  expect(wrong).toEqual([])
  expect(readdirSync(folder).toSorted()).toEqual(['a', 'b'])
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('one two\nthree four\nfour o 3x\n')
})

function flagOf(name: string, kind: unknown): string[] {
  return kind === null && /^-[^-#Rrv]$/.test(name) ? [name.slice(1)] : []
}

test.runIf(isInstalled('tree'))('tree reads on behind such a letter, and writes a file', () => {
  const folder = scratch()
  run('tree', ['-Io', 'x', 'b'], folder)
  expect(readFileSync(join(folder, 'b'), 'utf8')).toContain('director')
})

test('every program with such values in the table is listed or takes them as words of their own', () => {
  const apart = Object.entries(PLAIN)
    .filter(([name, { options }]) => valuesIn(optionTable(options)).length > 0 && !READS_CLUSTERS.has(name))
    .map(([name]) => name)
  expect(apart.toSorted()).toEqual(['cal', 'lsblk', 'shasum', 'tree'])
})
