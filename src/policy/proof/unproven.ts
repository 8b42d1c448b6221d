/** Ends a proof early: the closed grammar does not list something, or the budget is used up. */

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

/**
 * For a program text in another language that cannot be checked further: the rest of the text, or its unexpected end.
 */
export function programTextReason(program: string, rest: string): Reason {
  return rest === ''
    ? reason('proof.program-end', { program })
    : reason('proof.program-text', { program, text: rest })
}

export { FILE_STEPS } from '../budget.js'

/** The proof shares the budget of the verdict: steps that reading has used up are gone. */
export class Budget {
  spend(steps: number): void {
    spend(steps)
  }
}
