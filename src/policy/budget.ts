/**
 * The one step budget of a verdict. Every loop whose time grows with the input spends from it: parsing, spelling,
 * following paths, globs, file-system queries.
 */

import { budgetInForce, runWithBudget, StepBudget } from '../lib/step-budget.js'

/** About 20 ms of CPU time together: a step is about 50 ns, one pass over a character. */
const STEPS = 400_000
/** Reserved while a call is read, so that deny rules are still evaluated after reading has used up its share. */
const RESERVE = 100_000

/** When the budget is used up, deny findings made so far stay in force. Otherwise the policy asks the user. */
export class Budget extends StepBudget {
  constructor() {
    super(STEPS - RESERVE)
  }

  /** Reading has finished or has used up its share: releases the reserve for the decision. */
  openReserve(): void {
    this.raiseLimit(STEPS)
  }
}

/** Runs under the current budget, or under a new one if there is none. */
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

/** Cost of one file-system query, in addition to the cost of its path. */
export const FILE_STEPS = 100
