/**
 * The one budget of a verdict. Whatever takes longer for a longer text spends from it inside its loops: parsing, spelling, following
 * paths, globs, questions to the file system.
 */

import { budgetInForce, runWithBudget, StepBudget } from '../lib/step-budget.js'

/** About 20 ms of CPU time together: a step is about 50 ns, one pass over a character. */
const STEPS = 400_000
/** Kept back while a call is read, so that rules that deny are still looked at when reading has used up its share. */
const RESERVE = 100_000

/** When it is used up, deny findings that were found until here hold; otherwise the call is asked about. */
export class Budget extends StepBudget {
  constructor() {
    super(STEPS - RESERVE)
  }

  /** The call has been read, or as much of it as the budget allows: what was kept back is for the decision. */
  openReserve(): void {
    this.raiseLimit(STEPS)
  }
}

/** Runs under the budget in force; under a new one where there is none. */
export function withBudget<Result>(
  action: (budget: Budget) => Result,
  budget = verdictBudget() ?? new Budget(),
): Result {
  return runWithBudget(budget, () => action(budget))
}

function verdictBudget(): Budget | null {
  const budget = budgetInForce()
  return budget instanceof Budget ? budget : null
}

/** What one question to the file system costs, besides its path. */
export const FILE_STEPS = 100
