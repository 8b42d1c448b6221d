/** `signalbox completion`: what a shell needs to know to complete commands and options. */

import type { Command } from 'commander'
import { readChoice } from '../command-options.js'
import { EXIT } from '../exit-code.js'
import type { Terminal } from '../terminal.js'

export async function completion(shell: string, program: Command, terminal: Terminal): Promise<number> {
  const chosen = readChoice('shell', shell, ['bash', 'zsh', 'fish'])
  terminal.out(completionScript(chosen, program))
  return EXIT.done
}

interface Entry {
  /** Words after the name of the program: none for itself. */
  path: string[]
  words: { word: string; description: string }[]
}

export function completionScript(shell: 'bash' | 'zsh' | 'fish', program: Command): string {
  const entries = entriesOf(program)
  if (shell === 'fish') return fishScript(program.name(), entries)
  return shell === 'bash' ? bashScript(program.name(), entries) : zshScript(program.name(), entries)
}

function entriesOf(command: Command, path: string[] = []): Entry[] {
  const commands = command.commands.map((sub) => ({ word: sub.name(), description: sub.description() }))
  const options = command.options.flatMap(({ long, description }) =>
    long ? [{ word: long, description }] : [],
  )
  return [
    { path, words: [...commands, ...options, { word: '--help', description: 'display help for command' }] },
    ...command.commands.flatMap((sub) => entriesOf(sub, [...path, sub.name()])),
  ]
}

/** The commands so far, without options, choose the list of words. */
function bashScript(name: string, entries: readonly Entry[]): string {
  const cases = entries.map(
    ({ path, words }) => `    '${path.join(' ')}') words='${words.map(({ word }) => word).join(' ')}' ;;`,
  )
  return `_${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
${paths(entries)
  .map((path) => `      '${parentOf(path)} ${path.at(-1)}') path='${path.join(' ')}' ;;`)
  .join('\n')}
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${name} ${name}
`
}

function zshScript(name: string, entries: readonly Entry[]): string {
  const cases = entries.map(({ path, words }) => {
    const described = words.map(
      ({ word, description }) => `'${word}:${description.replaceAll(/['\\:]/g, ' ')}'`,
    )
    return `    '${path.join(' ')}') words=(${described.join(' ')}) ;;`
  })
  return `#compdef ${name}
_${name}() {
  local path_so_far='' word
  local -a words_so_far words_list
  words_so_far=("\${(@)words[2,CURRENT-1]}")
  for word in $words_so_far; do
    case "$path_so_far $word" in
${paths(entries)
  .map((path) => `      '${parentOf(path)} ${path.at(-1)}') path_so_far='${path.join(' ')}' ;;`)
  .join('\n')}
    esac
  done
  case "$path_so_far" in
${cases.join('\n').replaceAll('words=(', 'words_list=(')}
  esac
  _describe '${name}' words_list || _files
}
compdef _${name} ${name}
`
}

function fishScript(name: string, entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ path, words }) =>
    words.map(({ word, description }) => {
      const text = description.replaceAll(/['\\]/g, ' ')
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`
      return `complete -c ${name} ${fishCondition(path, entries)} ${what} -d '${text}'`
    }),
  )
  return `${lines.join('\n')}\n`
}

function fishCondition(path: readonly string[], entries: readonly Entry[]): string {
  if (path.length === 0) return "-n '__fish_use_subcommand'"
  const below = entries.filter((entry) => entry.path.length === path.length + 1 && entry.path[0] === path[0])
  const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`)
  const unseen =
    below.length > 0
      ? [`not __fish_seen_subcommand_from ${below.map((entry) => entry.path.at(-1)).join(' ')}`]
      : []
  return `-n '${[...seen, ...unseen].join('; and ')}'`
}

function paths(entries: readonly Entry[]): string[][] {
  return entries.map(({ path }) => path).filter((path) => path.length > 0)
}

function parentOf(path: readonly string[]): string {
  return path.slice(0, -1).join(' ')
}
