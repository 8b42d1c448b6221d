/** Rewrites a shell command at random without changing what it does. */

import { type Command, forEachChild, parse, type SyntaxNode, type Word } from 'unbash'

export type Random = () => number

/** Repeatable numbers between 0 and 1. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function rewrite(command: string, random: Random): string {
  const tree = parse(command)
  if (tree.errors !== undefined && tree.errors.length > 0) return command
  const changes = changesFor(command, tree, random)
  const changed = changes
    .toSorted((first, second) => second.start - first.start)
    .reduce((text, { start, end, text: insert }) => text.slice(0, start) + insert + text.slice(end), command)
  return wrapWhole(changed, random)
}

interface Change {
  start: number
  end: number
  text: string
}

/** Only literal text can be changed in place: not the text in backquotes or here-documents. */
function changesFor(source: string, tree: SyntaxNode, random: Random): Change[] {
  const changes: Change[] = []
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Command') changeCommand(source, node, random, changes)
    if (node.type === 'CommandExpansion' && node.text.startsWith('`')) return
    if (node.type === 'HereDoc' || node.type === 'HereDocBody') return
    forEachChild(node, visit)
  }
  visit(tree)
  return changes
}

const WRAPPERS = [
  'sudo',
  'env',
  'nice',
  'nice -n 5',
  'timeout 9',
  'nohup',
  'setsid',
  'stdbuf -oL',
  'command',
  'env -u X A=1',
]
/** Builtins, and syntax that only the shell can see, cannot be wrapped. */
const UNWRAPPABLE =
  /^(?:cd|pushd|popd|export|declare|typeset|local|readonly|unset|set|shopt|alias|trap|eval|exec|source|\.|read|hash|enable|complete|builtin|command|time|coproc|:|test|\[|ls)$/

function changeCommand(source: string, node: Command, random: Random, changes: Change[]): void {
  const { name } = node
  if (name === undefined) return
  const words = [name, ...node.args.filter((item): item is Word => item.type === 'Word')]
  const isPlainName = /^[\w./-]+$/.test(name.text) && !UNWRAPPABLE.test(name.value)
  if (isPlainName && words.length > 1 && random() < 0.04 && canBeBraces(source, node, words)) {
    const start = name.pos
    const end = words.at(-1)?.end ?? start
    changes.push({ start, end, text: `{${words.map(({ text }) => text).join(',')}}` })
    return
  }
  const prefix =
    isPlainName && !definesFunctions(source) && random() < 0.4 ? `${pick(WRAPPERS, random)} ` : ''
  words.forEach((word, index) => {
    const text = random() < 0.5 ? disguise(word, index === 0, random) : word.text
    changes.push({ start: word.pos, end: word.end, text: index === 0 ? prefix + text : text })
    const gap = word.pos
    if (index > 0 && random() < 0.15) changes.push({ start: gap, end: gap, text: '\\\n' })
  })
  for (const redirect of node.redirects) {
    if (redirect.type === 'Redirect' && redirect.target !== undefined && random() < 0.5) {
      changes.push({
        start: redirect.target.pos,
        end: redirect.target.end,
        text: disguise(redirect.target, false, random),
      })
    }
  }
}

/** `{rm,-rf,x}` is `rm -rf x`, if nothing but plain words stands between its first and its last. */
function canBeBraces(source: string, node: Command, words: readonly Word[]): boolean {
  const isPlain = words.every(
    ({ parts, text }) => parts === undefined && /^[\w./:@%+-]+$/.test(text) && !text.includes('..'),
  )
  const written = source.slice(words[0]?.pos ?? 0, words.at(-1)?.end ?? 0)
  return isPlain && node.args.length === words.length - 1 && written.split(/\s+/).length === words.length
}

/** A function's name is what it is called by: it must not be looked up as a program. */
function definesFunctions(source: string): boolean {
  return /\(\)\s*\{/.test(source)
}

const PLAIN = /^[\w./:=@%+-]+$/

function disguise(word: Word, isName: boolean, random: Random): string {
  const { text } = word
  if (word.parts !== undefined || !PLAIN.test(text) || text === '') return text
  if (
    isName &&
    /^(?:if|then|else|elif|fi|do|done|while|until|for|case|esac|in|function|select|time|coproc|!)$/.test(text)
  )
    return text
  const at = Math.floor(random() * text.length)
  const ways: (() => string)[] = [
    () => `'${text}'`,
    () => `"${text}"`,
    () => `${text.slice(0, at)}''${text.slice(at)}`,
    () => `${text.slice(0, at)}""${text.slice(at)}`,
    () => `${text.slice(0, at)}'${text[at]}'${text.slice(at + 1)}`,
    () => `${text.slice(0, at)}\\${text[at]}${text.slice(at + 1)}`,
    () =>
      `$'${Array.from(text)
        .map((letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`)
        .join('')}'`,
    () => `${text.slice(0, at)}$'\\${text.charCodeAt(at).toString(8).padStart(3, '0')}'${text.slice(at + 1)}`,
    () => `${text.slice(0, at)}\\\n${text.slice(at)}`,
    () => `$"${text}"`,
    () => asSequence(text, at),
  ]
  // An assignment stays one only if its name and the sign are bare.
  if (text.includes('=') && isName) return text
  return pick(ways, random)()
}

/** A sequence of one letter is that letter. */
function asSequence(text: string, at: number): string {
  const letter = text[at] ?? ''
  if (!/[A-Za-z0-9]/.test(letter)) return text
  return `${text.slice(0, at)}{${letter}..${letter}}${text.slice(at + 1)}`
}

const AROUND: ((command: string) => string)[] = [
  (command) => command,
  (command) => command,
  (command) => `true; ${command}`,
  (command) => `true && ${command}`,
  (command) => `false || ${command}`,
  (command) => `${command}\ntrue`,
  (command) => `( ${command}\n)`,
  (command) => `{ ${command}\n}`,
  (command) => `if true; then ${command}\nfi`,
  (command) => `for i in 1; do ${command}\ndone`,
  (command) => `echo start\n${command}`,
  (command) => `bash -c ${quote(command)}`,
  (command) => `eval ${quote(command)}`,
  (command) => `sh -c ${quote(command)} || true`,
  (command) => `echo "$(${command}\n)"`,
  (command) => `  ${command}  `,
  (command) => `while true; do ${command}\nbreak; done`,
  (command) => `case x in x) ${command}\n;; esac`,
  (command) => `sudo bash -c ${quote(command)}`,
]

function wrapWhole(command: string, random: Random): string {
  // A here-document ends at its own line, and a comment at the end of the line: nothing may be put behind them.
  const isDelicate = /<<|#/.test(command)
  return isDelicate
    ? pick(['', 'true; ', 'true && ', 'echo start\n'], random) + command
    : pick(AROUND, random)(command)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() * items.length)] as Item
}
