/** How a proof ends early: something was met that the closed grammar does not list, or the steps are used up. */

import { spend } from '../../lib/step-budget.js'

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

export { FILE_STEPS } from '../budget.js'

/** The proof spends from the budget of the verdict: what reading has used up is not there for it. */
export class Budget {
  spend(steps: number): void {
    spend(steps)
  }
}
