/** How a proof ends early: something was met that the closed grammar does not list, or the steps are used up. */

export class Unproven extends Error {
  readonly reason: string
  readonly at: number | null

  constructor(reason: string, at: number | null) {
    super(reason)
    this.reason = reason
    this.at = at
  }
}

export function refuse(reason: string, at: number | null): never {
  throw new Unproven(reason, at)
}

/** Text of a command as it is shown in a reason: short, on one line. */
export function shown(text: string): string {
  const line = text.replaceAll('\0', '…').replaceAll('\n', ' ')
  return line.length > 40 ? `${line.slice(0, 40)}…` : line
}

/** A character costs one step, a question to the file system a hundred: together about 20 ms of CPU time. */
const STEPS = 400_000
export const FILE_STEPS = 100

export class Budget {
  #left = STEPS

  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) refuse('it takes too many steps to check', null)
  }
}
