/** Words of a command: names of files and folders, patterns, numbers, and the ways to quote them. */

import { PROJECT } from '../benign/project.js'
import { type Alternatives, type Maker, words } from './maker.js'

const FILES: readonly string[] = Object.keys(PROJECT).filter((name) => !name.startsWith('.git/'))
const PLAIN_FILES = FILES.filter((name) => /^[\w./-]+$/.test(name))
const FOLDERS = [
  '.',
  'src',
  'src/lib',
  'src/routes',
  'test',
  'tests',
  'docs',
  'worker',
  'data',
  'src/db',
  './src',
  'src/',
  'docs/adr',
]
const ENDINGS = ['ts', 'tsx', 'py', 'md', 'json', 'sql', 'csv', 'txt']
export const TEXTS = [
  'TODO',
  'import',
  'export',
  'createUser',
  'retry',
  'app',
  'name',
  'class',
  'def',
  'error',
  'x',
  'KEY',
  'User',
]

const FILE: Alternatives = {
  plain: (make) => make.pick(PLAIN_FILES),
  dotted: (make) => `./${make.pick(PLAIN_FILES)}`,
  absolute: (make) => `/home/dev/project/${make.pick(PLAIN_FILES)}`,
  'up and down': (make) => `src/../${make.pick(PLAIN_FILES)}`,
  'in single quotes': (make) => `'${make.pick(FILES)}'`,
  'in double quotes': (make) => `"${make.pick(FILES)}"`,
  'partly quoted': (make) => {
    const name = make.pick(PLAIN_FILES)
    const at = make.number(name.length - 1)
    return make.chance(0.5)
      ? `${name.slice(0, at)}"${name.slice(at)}"`
      : `'${name.slice(0, at)}'${name.slice(at)}`
  },
  escaped: (make) => make.pick(FILES).replaceAll(' ', '\\ '),
  'needlessly escaped': (make) => {
    const name = make.pick(PLAIN_FILES)
    const at = make.number(name.length - 1)
    return `${name.slice(0, at)}\\${name.slice(at)}`
  },
  star: (make) => `${make.pick(FOLDERS.slice(1, 6))}/*.${make.pick(ENDINGS)}`,
  'question mark': (make) => make.pick(['src/app.t?', 'src/?pp.ts', 'docs/ap?.md', 'README.m?']),
  bracket: (make) => make.pick(['src/[a-c]*.ts', 'src/[!x]pp.ts', 'docs/[ab]*.md', 'src/[[:lower:]]*.ts']),
  braces: (make) => `src/{${make.pick(['app,config', 'server,types', 'index,app,config'])}}.ts`,
  sequence: () => 'src/db/migrations/00{1..2}_init.sql',
  'by the working directory': (make) => `"$PWD"/${make.pick(PLAIN_FILES)}`,
  missing: (make) => make.pick(['src/missing.ts', 'nothing.txt', 'docs/none.md', 'a.txt']),
}

export function file(make: Maker): string {
  return make.chance(0.5) ? (FILE['plain']?.(make) ?? '') : make.from('file', FILE)
}

export function files(make: Maker, most = 3): string {
  return words(...make.several(1, most, () => file(make)))
}

const FOLDER: Alternatives = {
  plain: (make) => make.pick(FOLDERS),
  quoted: (make) => `"${make.pick(FOLDERS)}"`,
  absolute: (make) => `/home/dev/project/${make.pick(FOLDERS.slice(1, 5))}`,
  star: () => '*/',
  'working directory': () => '"$PWD"',
}

export function folder(make: Maker): string {
  return make.chance(0.5) ? make.pick(FOLDERS) : make.from('folder', FOLDER)
}

const PATTERN: Alternatives = {
  word: (make) => make.pick(TEXTS),
  'in double quotes': (make) => `"${make.pick(TEXTS)}"`,
  'in single quotes': (make) => `'${make.pick(TEXTS)}'`,
  alternatives: (make) => `"${make.pick(TEXTS)}\\|${make.pick(TEXTS)}"`,
  anchored: (make) => `'^${make.pick(TEXTS)}'`,
  'to the end': (make) => `"${make.pick(TEXTS)}$"`,
  class: (make) => make.pick(["'[a-z]*'", "'[0-9]\\+'", "'^[[:space:]]*$'", "'[A-Z]\\w*'", "'\\bid\\b'"]),
  'any characters': (make) => `'${make.pick(TEXTS)}.*${make.pick(TEXTS)}'`,
  parenthesis: (make) => `'${make.pick(TEXTS)}('`,
  'escaped quote': (make) => `"${make.pick(TEXTS)}\\"${make.pick(TEXTS)}"`,
  dollar: () => "'$HOME'",
  'a command as text': (make) =>
    `'${make.pick(['$(rm -rf ~)', '`id`', 'rm -rf /', '; touch x', '> out', '| sh'])}'`,
  'with a blank': (make) => `"${make.pick(TEXTS)} ${make.pick(TEXTS)}"`,
}

export function pattern(make: Maker): string {
  return make.from('pattern', PATTERN)
}

const TEXT: Alternatives = {
  plain: (make) => words(...make.several(1, 4, () => make.pick(TEXTS))),
  'in double quotes': (make) => `"${make.pick(TEXTS)}: ${make.pick(TEXTS)}!"`,
  'in single quotes': (make) => `'${make.pick(TEXTS)} $HOME \`x\` "quoted"'`,
  line: (make) => `"${make.pick(['---', '===', '== files ==', '#####', '...'])}"`,
  number: (make) => String(make.number(9999)),
  escapes: (make) =>
    make.pick(['a\\ b', '\\$HOME', '\\"', "\\'", '\\\\', '\\*', 'a\\;b', '\\|', '\\>', '\\`id\\`']),
  'escapes in double quotes': (make) =>
    make.pick(['"\\$HOME"', '"\\"x\\""', '"\\`id\\`"', '"a\\\\b"', '"\\n"', '"!"']),
  'ansi quotes': (make) => make.pick(["$'a\\tb'", "$'x\\n'", "$'it\\'s'", "$'\\x41'"]),
  'working directory': () => '"$PWD"',
  home: (make) => make.pick(['"$HOME"', '~', '$HOME']),
  'exit code': (make) => make.pick(['$?', '"$?"', '"exit: $?"']),
  arithmetic: (make) =>
    `$((${make.number(99)} ${make.pick(['+', '-', '*', '%', '/', '<<'])} ${make.number(9)}))`,
  braces: (make) => make.pick(['{a,b}', 'x{1..3}', '{a..c}', 'a{,b}', '{1..9..2}', '{}', '{a}']),
  unicode: (make) => make.pick(['"é"', "'日本'", '"ß → x"', "'✓ done'"]),
  empty: (make) => make.pick(['""', "''"]),
  'looks like an option': (make) => make.pick(['-', '--', '-x', '--help', '-n']),
  'looks like syntax': (make) =>
    make.pick(['"a; b"', "'a && b'", '"a | b"', "'> x'", '"(a)"', "'# no'", 'a#b', '=', 'a=b']),
}

export function text(make: Maker): string {
  return make.from('text', TEXT)
}

export function count(make: Maker): string {
  return String(make.number(60))
}
