/** Generates docs/cli.md from the commands, so that the document always matches them. */

import type { Command } from 'commander'

export function cliDocument(program: Command): string {
  return `# Command line

Generated from the commands by \`npm run docs\`; a test checks that it is up to date.

\`\`\`
signalbox [command]        the default command is start
\`\`\`

- You can shorten an id to any unique start or end: \`signalbox show 01m7h4\`. Lists on a terminal show the end, as short as it is unique;
  into a pipe they print whole ids.
- \`--json\` prints one JSON document, or one line per event for commands that follow events, on standard output. Notes and the log go to
  standard error.
- On a terminal, text and tables are fitted to its width, Markdown is rendered (but for an answer that is being written), and control
  characters in texts of agents are made visible.
  Into a pipe, lists are printed in full width and other results unchanged.
- Each stream has colours only if it is a terminal. \`NO_COLOR\` turns them off, \`FORCE_COLOR=1\` turns them on in pipes too.
- Times are local; \`--utc\` prints them in UTC. JSON always has UTC.
- A command that takes longer than a second says so on the terminal (standard error).
- Exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 denied, 5 daemon unreachable, 6 data damaged or storage unavailable,
  130 interrupted, 137 stopped by force. [errors.md](errors.md) has the causes and fixes.
- \`start\` ends within 9 seconds after SIGTERM, SIGINT or SIGHUP, with 0. If not everything could be closed by then, or the same signal
  comes again, it kills the processes of its sessions and itself (SIGKILL, which shells show as 137). Nothing that was acknowledged is
  lost, and the next start closes what was left open.
- [configuration.md](configuration.md) lists all settings.
- Completion of commands, options, ids and folders: \`source <(signalbox completion bash)\`, \`source <(signalbox completion zsh)\`,
  \`signalbox completion fish | source\`.

${leavesOf(program).map(section).join('\n')}`
}

interface Leaf {
  command: Command
  name: string
}

function leavesOf(command: Command, path: string[] = []): Leaf[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((sub) => sub.name() !== 'help')
    .flatMap((sub) => {
      const name = [...path, sub.name()]
      const isGroup = sub.commands.length > 0 && sub.options.length === 0
      return [...(isGroup ? [] : [{ command: sub, name: name.join(' ') }]), ...leavesOf(sub, name)]
    })
}

function section({ command, name }: Leaf): string {
  const words = command.registeredArguments.map((argument) => {
    // A word with one choice is typed as it is.
    const isLiteral = argument.argChoices?.length === 1
    const word = isLiteral
      ? argument.name()
      : `${argument.name()}${argument.variadic ? '…' : ''}`.toUpperCase()
    return argument.required ? word : `[${word}]`
  })
  const rows = [
    ...command.registeredArguments
      .filter(({ description }) => description)
      .map((argument) => [
        argument.argChoices?.length === 1 ? `\`${argument.name()}\`` : argument.name().toUpperCase(),
        argument.description,
      ]),
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
