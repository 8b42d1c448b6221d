/** Writes docs/cli.md from the commands themselves, so that it can not say anything else. */

import type { Command } from 'commander'

export function cliDocument(program: Command): string {
  return `# Command line

Written from the commands by \`npm run docs\`; a test keeps it in step.

\`\`\`
signalbox [command]        without a command: start
\`\`\`

- Ids may be shortened to any beginning that only one thing has: \`signalbox show 01m7h4\`.
- \`--json\` gives one JSON document, or a line for each event where things are followed, on standard output. What people read
  besides results, and the log, goes to standard error. Colours are only used on terminals, and not with \`NO_COLOR\`.
- Exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 denied, 5 daemon unreachable, 6 data damaged or storage unavailable,
  130 interrupted. Codes, causes and fixes of all errors: [errors.md](errors.md).
- Settings are in [configuration.md](configuration.md).
- Completion: \`source <(signalbox completion bash)\`, \`source <(signalbox completion zsh)\`,
  \`signalbox completion fish | source\`.

${leavesOf(program).map(section).join('\n')}`
}

interface Leaf {
  command: Command
  name: string
}

function leavesOf(command: Command, path: string[] = []): Leaf[] {
  return command.commands
    .filter((sub) => sub.name() !== 'help')
    .flatMap((sub) => {
      const name = [...path, sub.name()]
      const isGroup = sub.commands.length > 0 && sub.options.length === 0
      return [...(isGroup ? [] : [{ command: sub, name: name.join(' ') }]), ...leavesOf(sub, name)]
    })
}

function section({ command, name }: Leaf): string {
  const words = command.registeredArguments.map((argument) => {
    const word = `${argument.name()}${argument.variadic ? '…' : ''}`.toUpperCase()
    return argument.required ? word : `[${word}]`
  })
  const rows = [
    ...command.registeredArguments
      .filter(({ description }) => description)
      .map((argument) => [argument.name().toUpperCase(), argument.description]),
    ...command.options.map(({ flags, description, defaultValue }) => [
      `\`${flags}\``,
      defaultValue === undefined ? description : `${description} (default ${String(defaultValue)})`,
    ]),
  ]
  const table =
    rows.length > 0 ? `\n| | |\n|---|---|\n${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n` : ''
  return `## \`${['signalbox', name, ...words].join(' ')}\`\n\n${sentence(command.description())}\n${table}`
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
