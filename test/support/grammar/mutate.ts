/** Small changes near the edges of what is allowed: most make a command that must be asked about. */

import type { Random } from '../../../bench/policy-rewrite.js'
import { BEFORE, BLANKS, BYTES, NUMBERS, OPERATORS, PIECES, SCRIPTS, WRAPPERS } from './hostile-text.js'
import { OPTIONS, REDIRECTIONS, TRAPS } from './hostile-word.js'

export type Mutation = (command: string, random: Random) => string

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'insert a piece': (command, random) => insert(command, pick(PIECES, random), random),
  'insert a byte': (command, random) => insert(command, pick(BYTES, random), random),
  'delete a byte': (command, random) => {
    const at = position(command, random)
    return command.slice(0, at) + command.slice(at + 1)
  },
  'repeat a byte': (command, random) => {
    const at = position(command, random)
    return command.slice(0, at) + command.slice(at, at + 1) + command.slice(at)
  },
  'replace a byte': (command, random) => {
    const at = position(command, random)
    return command.slice(0, at) + pick(BYTES, random) + command.slice(at + 1)
  },
  'swap two bytes': (command, random) => {
    const at = position(command, random)
    return (
      command.slice(0, at) +
      command
        .slice(at, at + 2)
        .split('')
        .toReversed()
        .join('') +
      command.slice(at + 2)
    )
  },
  'repeat a part': (command, random) => {
    const at = position(command, random)
    const end = at + 1 + Math.floor(random() * 12)
    return command.slice(0, end) + command.slice(at, end) + command.slice(end)
  },
  'add an option': (command, random) => {
    const programs = [...command.matchAll(/[a-z][a-z0-9]+/g)].filter(([name]) => Object.hasOwn(OPTIONS, name))
    const program = pick(programs, random)
    const [name] = program ?? [pick(Object.keys(OPTIONS), random)]
    const option = ` ${pick(OPTIONS[name] ?? [], random)}`
    const end = program === undefined ? command.length : program.index + name.length
    // Behind the program's name, or at the end of the simple command.
    const rest = command.slice(end)
    const at = random() < 0.5 ? 0 : rest.search(/ *(?:[;|&\n)]|$)/)
    return command.slice(0, end + at) + option + rest.slice(at)
  },
  'grow a cluster': (command, random) => {
    const found = pick([...command.matchAll(/(?<=\s)-[A-Za-z]+/g)], random)
    if (found === undefined) return command
    const at = found.index + 1 + Math.floor(random() * found[0].length)
    return command.slice(0, at) + pick(LETTERS, random) + command.slice(at)
  },
  'repeat an option elsewhere': (command, random) => {
    const found = pick([...command.matchAll(/\s-{1,2}[A-Za-z][^\s;|&]*/g)], random)
    return found === undefined ? command : atBlank(command, `${found[0]} `, random)
  },
  'add a word': (command, random) => atBlank(command, ` ${pick(TRAPS, random)} `, random),
  'replace a word': (command, random) => replaceWord(command, () => pick(TRAPS, random), random),
  'quote a word': (command, random) =>
    replaceWord(
      command,
      (word) =>
        pick(
          [`"${word}"`, `'${word}'`, `$'${word}'`, `$"${word}"`, `\\${word}`, `"${word}`, `${word}'`],
          random,
        ),
      random,
    ),
  'hide a word': (command, random) =>
    replaceWord(
      command,
      (word) =>
        pick(
          [
            `$(echo ${word})`,
            `{${word},x}`,
            `[${word}]`,
            `\${x:-${word}}`,
            `@(${word})`,
            `${word}*`,
            `"$(printf %s ${word})"`,
          ],
          random,
        ),
      random,
    ),
  'change a blank': (command, random) => replaceAt(command, / /g, pick(BLANKS, random), random),
  'change an operator': (command, random) =>
    replaceAt(command, /&&|\|\||[;|\n]/g, pick(OPERATORS, random), random),
  'change a number': (command, random) => replaceAt(command, /\d+/g, pick(NUMBERS, random), random),
  'insert into a script': (command, random) => {
    const scripts = [...command.matchAll(/\b(sed|awk|jq)\b[^'|]*'([^']*)'/g)]
    const found = pick(scripts, random)
    if (found === undefined) return insert(command, pick(Object.values(SCRIPTS).flat(), random), random)
    const [whole, language = '', script = ''] = found
    const begin = found.index + whole.length - script.length - 1
    const at = begin + Math.floor(random() * (script.length + 1))
    return command.slice(0, at) + pick(SCRIPTS[language] ?? [], random) + command.slice(at)
  },
  'wrap the whole': (command, random) => pick(WRAPPERS, random).replace('@', () => command),
  'run before': (command, random) => `${pick(BEFORE, random)}${command}`,
  redirect: (command, random) => atBlank(command, ` ${pick(REDIRECTIONS, random)} `, random),
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')

/** A part of one command in place of a part of another. */
export function cross(first: string, second: string, random: Random): string {
  return first.slice(0, position(first, random)) + second.slice(position(second, random))
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() * items.length)] as Item
}

function position(command: string, random: Random): number {
  return Math.floor(random() * (command.length + 1))
}

function insert(command: string, piece: string, random: Random): string {
  const at = position(command, random)
  return command.slice(0, at) + piece + command.slice(at)
}

function replaceAt(command: string, expression: RegExp, piece: string, random: Random): string {
  const match = pick([...command.matchAll(expression)], random)
  if (match === undefined) return command
  return command.slice(0, match.index) + piece + command.slice(match.index + match[0].length)
}

function atBlank(command: string, piece: string, random: Random): string {
  const match = pick([...command.matchAll(/ |$/g)], random)
  const at = match?.index ?? command.length
  return command.slice(0, at) + piece.trimEnd() + command.slice(at)
}

function replaceWord(command: string, other: (word: string) => string, random: Random): string {
  const match = pick([...command.matchAll(/[^\s;|&<>()]+/g)], random)
  if (match === undefined) return command
  return command.slice(0, match.index) + other(match[0]) + command.slice(match.index + match[0].length)
}
