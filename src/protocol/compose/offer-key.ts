/** Keys under which the runner stores what the CLI offers, for the hub to read. */

export const MODELS_KEY = 'offer.models'
export const COMMANDS_PREFIX = 'offer.commands:'

export function commandsKey(cwd: string): string {
  return `${COMMANDS_PREFIX}${cwd}`
}
