/**
 * Bounds work by counted steps, not by time, so that the result is the same on every machine. The work awaits nothing, so the budget
 * in force is a variable of this module: every function below `runWithBudget` spends from it, however deep, and needs no argument for it.
 */

/** Thrown by the work that would spend more than there is. */
export class BudgetUsedUp extends Error {}

export class StepBudget {
  #limit: number
  #spent = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get spent(): number {
    return this.#spent
  }

  spend(steps: number): void {
    this.#spent += steps
    if (this.#spent > this.#limit) throw new BudgetUsedUp()
  }

  /** Whatever was spent beyond the limit before is forgiven. */
  raiseLimit(limit: number): void {
    this.#spent = Math.min(this.#spent, this.#limit)
    this.#limit = limit
  }
}

let inForce: StepBudget | null = null

export function budgetInForce(): StepBudget | null {
  return inForce
}

export function runWithBudget<Result>(budget: StepBudget, action: () => Result): Result {
  const outer = inForce
  inForce = budget
  try {
    return action()
  } finally {
    inForce = outer
  }
}

/** Throws `BudgetUsedUp` when nothing is left. Without a budget in force nothing is counted. */
export function spend(steps: number): void {
  inForce?.spend(steps)
}
