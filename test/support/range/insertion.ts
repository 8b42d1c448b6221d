/** A command with another one put into it, at every place. */

const PAYLOADS: readonly string[] = [
  '$(rm -rf ~)',
  '`rm -rf ~`',
  '<(rm -rf ~)',
  '>(rm -rf ~)',
  '${x[$(rm -rf ~)]}',
  '"$(rm -rf ~)"',
  '\nrm -rf ~\n',
  ';rm -rf ~;',
  '|rm -rf ~ ',
  '&rm -rf ~ ',
]

export function insertionsInto(command: string): string[] {
  return PAYLOADS.flatMap((payload) =>
    Array.from({ length: command.length + 1 }, (_, at) => command.slice(0, at) + payload + command.slice(at)),
  )
}
