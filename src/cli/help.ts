/** Help that fits narrow terminals: short terms, and descriptions below them where there is no room beside. */

import type { Argument, Command, Help } from 'commander'

const INDENT = 2
const BELOW_INDENT = 6
const MIN_ROOM = 26
const DEFAULT_WIDTH = 80

export const helpLayout: Partial<Help> = {
  minWidthToWrap: 20,
  /** Without `[options]`: nearly every command has some. */
  subcommandTerm: (command: Command) =>
    [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' '),
  formatItem(term, termWidth, description, helper) {
    const width = helper.helpWidth ?? DEFAULT_WIDTH
    const lead = ' '.repeat(INDENT)
    if (description === '') return `${lead}${term}`
    const before = INDENT + termWidth + 2
    const isBeside = width - before >= MIN_ROOM
    const indent = isBeside ? before : BELOW_INDENT
    const lines = helper.boxWrap(description, width - indent).split('\n')
    const text = lines.join(`\n${' '.repeat(indent)}`)
    return isBeside
      ? `${lead}${term.padEnd(termWidth)}  ${text}`
      : `${lead}${term}\n${' '.repeat(indent)}${text}`
  },
}

function argumentTerm(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}

/** A mistake in the words of a command, as a sentence with the way to its help. */
export function usageError(text: string, command: string | null): string {
  const [problem = '', ...advice] = text
    .trim()
    .replace(/^error: /, '')
    .split('\n')
  const sentence = `${problem.slice(0, 1).toUpperCase()}${problem.slice(1)}${/[.?]$/.test(problem) ? '' : '.'}`
  const help = `See "signalbox ${command === null ? '' : `${command} `}--help".`
  return [sentence, ...advice, help].join(' ')
}
