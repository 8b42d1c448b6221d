/** `signalbox completion`: what a shell needs to know to complete commands, options, ids and folders. */

import type { Command } from 'commander'
import { readChoice } from '../command-options.js'
import { EXIT } from '../exit-code.js'
import type { Terminal } from '../output/terminal.js'

export async function completion(shell: string, program: Command, terminal: Terminal): Promise<number> {
  const chosen = readChoice('shell', shell, ['bash', 'zsh', 'fish'])
  terminal.stream(completionScript(chosen, program))
  return EXIT.done
}

/** The kind of the words behind a command or an option. Files are left to the shell. */
type Kind = 'session' | 'request' | 'token' | 'folder' | 'model' | 'effort' | 'mode' | 'prompt'

interface Entry {
  /** Words after the name of the program: none for itself. */
  path: string[]
  words: { word: string; description: string }[]
  argument: Kind | null
  /** Whether each further argument is of the same kind. */
  isVariadic: boolean
  /** Options whose value is of a kind. */
  values: { option: string; kind: Kind }[]
}

export function completionScript(shell: 'bash' | 'zsh' | 'fish', program: Command): string {
  const entries = entriesOf(program)
  if (shell === 'fish') return fishScript(program.name(), entries)
  const options = valueOptions(program)
  return shell === 'bash'
    ? bashScript(program.name(), entries, options)
    : zshScript(program.name(), entries, options)
}

const KINDS: Readonly<Record<string, Kind>> = {
  id: 'session',
  session: 'session',
  request: 'request',
  token: 'token',
  folder: 'folder',
  model: 'model',
  effort: 'effort',
  mode: 'mode',
}

/** A name is that of a saved prompt here. Elsewhere it is a new one. */
const NAMES_PROMPT: ReadonlySet<string> = new Set(['run', 'prompts save', 'prompts show', 'prompts delete'])

function kindOf(path: readonly string[], word: string | undefined): Kind | undefined {
  if (word === 'name') return NAMES_PROMPT.has(path.join(' ')) ? 'prompt' : undefined
  return KINDS[word ?? '']
}

function entriesOf(command: Command, path: string[] = []): Entry[] {
  const below = visible(command)
  const commands = below.map((sub) => ({ word: sub.name(), description: sub.description() }))
  const options = command.options.flatMap(({ long, description }) =>
    long ? [{ word: long, description }] : [],
  )
  const [argument] = command.registeredArguments
  const values = command.options.flatMap(({ long, flags }) => {
    const kind = kindOf(path, /<(\w+)>/.exec(flags)?.[1])
    // An id of another system is known to its user only.
    return long && kind && long !== '--external-id' ? [{ option: long, kind }] : []
  })
  return [
    {
      path,
      words: [...commands, ...options, { word: '--help', description: 'display help for command' }],
      argument: kindOf(path, argument?.name()) ?? null,
      isVariadic: argument?.variadic ?? false,
      values,
    },
    ...below.flatMap((sub) => entriesOf(sub, [...path, sub.name()])),
  ]
}

/** Without the command that completion itself calls. */
function visible(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((sub) => sub.name() !== 'help')
}

/** All options that have a value: the word behind one is no argument. */
function valueOptions(command: Command): string[] {
  const own = command.options.flatMap(({ long, required }) => (long && required ? [long] : []))
  return [...new Set([...own, ...command.commands.flatMap(valueOptions)])]
}

/** For each word so far: the value of an option, an option, a command or an argument. `path` has a meaning in zsh. */
function followWord(entries: readonly Entry[], options: readonly string[]): string {
  return `    if [ -n "$value" ]; then
      [ "$value" = --home ] && home="$word"
      value=''
      continue
    fi
    case "$word" in
      ${options.join('|')}) value="$word"; continue ;;
      -*) continue ;;
    esac
    case "$path_so_far $word" in
${paths(entries)
  .map((path) => `      '${parentOf(path)} ${path.at(-1)}') path_so_far='${path.join(' ')}' ;;`)
  .join('\n')}
      *) count=$((count + 1)) ;;
    esac`
}

/** The commands so far, without options, choose the list of words; the word before may want a value. */
function bashScript(name: string, entries: readonly Entry[], options: readonly string[]): string {
  const cases = entries.map(
    ({ path, words, argument, isVariadic }) =>
      `    '${path.join(' ')}') words='${words.map(({ word }) => word).join(' ')}'${argument ? ` kind=${argument}` : ''}${isVariadic ? ' many=1' : ''} ;;`,
  )
  return `_${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local path_so_far='' word words='' kind='' many='' count=0 value='' home=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${followWord(entries, options)}
  done
  case "$path_so_far" in
${cases.join('\n')}
  esac
  if [ -n "$value" ]; then
    words=''
    case "$path_so_far $previous" in
${valueCases(entries)}
      *) return ;;
    esac
  elif [ "$count" -gt 0 ] && [ -z "$many" ]; then
    kind=''
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case "$kind" in
    folder) COMPREPLY+=($(compgen -d -- "$current")) ;;
    ?*)
      local id
      while IFS=$'\\t' read -r id _; do
        [[ "$id" == "$current"* ]] && COMPREPLY+=("$id")
      done < <("\${COMP_WORDS[0]}" complete "$kind" "$current" \${home:+--home "$home"} 2>/dev/null)
      ;;
  esac
}
complete -o default -F _${name} ${name}
`
}

function valueCases(entries: readonly Entry[], assign = 'kind='): string {
  return entries
    .flatMap(({ path, values }) =>
      values.map(({ option, kind }) => `      '${path.join(' ')} ${option}') ${assign}${kind} ;;`),
    )
    .join('\n')
}

function zshScript(name: string, entries: readonly Entry[], options: readonly string[]): string {
  const cases = entries.map(({ path, words, argument, isVariadic }) => {
    const described = words.map(
      ({ word, description }) => `'${word}:${description.replaceAll("'", `'\\''`)}'`,
    )
    return `    '${path.join(' ')}') words_list=(${described.join(' ')})${argument ? ` kind=${argument}` : ''}${isVariadic ? ' many=1' : ''} ;;`
  })
  return `#compdef ${name}
_${name}() {
  local path_so_far='' word kind='' many='' value='' home='' count=0 line
  local -a words_so_far words_list ids
  words_so_far=("\${(@)words[2,CURRENT-1]}")
  for word in $words_so_far; do
${followWord(entries, options)}
  done
  case "$path_so_far" in
${cases.join('\n')}
  esac
  if [ -n "$value" ]; then
    words_list=()
    case "$path_so_far $value" in
${valueCases(entries)}
      *) _files; return ;;
    esac
  elif [ "$count" -gt 0 ] && [ -z "$many" ]; then
    kind=''
  fi
  case "$kind" in
    folder) _files -/ ;;
    ?*)
      for line in "\${(@f)$(\${words[1]} complete "$kind" "\${words[CURRENT]}" \${home:+--home} \${home:+"$home"} 2>/dev/null)}"; do
        [ -n "$line" ] && ids+=("\${line/$'\\t'/:}")
      done
      (( \${#ids} )) && _describe '${name}' ids
      ;;
  esac
  _describe '${name}' words_list || _files
}
if [ "\${funcstack[1]}" = _${name} ]; then
  # As a file in a folder of fpath.
  _${name} "$@"
else
  whence compdef >/dev/null || { autoload -Uz compinit; compinit; }
  compdef _${name} ${name}
fi
`
}

function fishScript(name: string, entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ path, words, argument, values }) => {
    const condition = fishCondition(path, entries)
    const dynamic = (kind: Kind) =>
      kind === 'folder' ? '(__fish_complete_directories)' : `(__${name}_ids ${kind})`
    const offered = words.map(({ word, description }) => {
      const text = description.replaceAll(/['\\]/g, String.raw`\$&`)
      const value = values.find(({ option }) => option === word)
      const what = word.startsWith('--')
        ? `-l ${word.slice(2)}${value ? ` -x -a '${dynamic(value.kind)}'` : ''}`
        : `-a ${word}`
      return `complete -c ${name} ${condition} ${what} -d '${text}'`
    })
    return argument === null
      ? offered
      : [
          ...offered,
          `complete -c ${name} ${condition} ${argument === 'folder' ? '' : '-f '}-a '${dynamic(argument)}'`,
        ]
  })
  return `function __${name}_ids
    set -l words (commandline -opc)
    set -l home
    set -l at (contains -i -- --home $words)
    and set home --home $words[(math $at + 1)]
    command $words[1] complete $argv[1] (commandline -ct) $home 2>/dev/null
end
${lines.join('\n')}
`
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
