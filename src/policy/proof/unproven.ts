/** How a proof ends early: something was met that the closed grammar does not list, or the steps are used up. */

import { spend } from '../../lib/step-budget.js'
import { type Reason, reason } from '../../protocol/reason/reason.js'

export class Unproven extends Error {
  readonly reason: Reason
  readonly at: number | null

  constructor(why: Reason, at: number | null) {
    super(why.code)
    this.reason = why
    this.at = at
  }
}

export function refuse(why: Reason, at: number | null): never {
  throw new Unproven(why, at)
}

/** Of a program in another language that cannot be checked further: where that is, or that it ends too soon. */
export function programTextReason(program: string, rest: string): Reason {
  return rest === ''
    ? reason('proof.program-end', { program })
    : reason('proof.program-text', { program, text: rest })
}

export { FILE_STEPS } from '../budget.js'

/** The proof spends from the budget of the verdict: what reading has used up is not there for it. */
export class Budget {
  spend(steps: number): void {
    spend(steps)
  }
}
