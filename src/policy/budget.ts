/**
 * The one budget of a verdict. Whatever takes longer for a longer text spends from it inside its loops: parsing, spelling, following
 * paths, globs, questions to the file system. A verdict is reached without awaiting anything, so the budget in force is a variable of
 * this module: every function below `withBudget` spends from it, and none can be called without it by mistake.
 */

/** About 20 ms of CPU time together: a step is about 50 ns, one pass over a character. */
const STEPS = 400_000
/** Kept back while a call is read, so that rules that deny are still looked at when reading has used up its share. */
const RESERVE = 100_000

/** Deny findings that were found until here hold; otherwise the call is asked about. */
export class BudgetUsedUp extends Error {}

export class Budget {
  #limit = STEPS - RESERVE
  #spent = 0

  get spent(): number {
    return this.#spent
  }

  spend(steps: number): void {
    this.#spent += steps
    if (this.#spent > this.#limit) throw new BudgetUsedUp()
  }

  /** The call has been read, or as much of it as the budget allows: what was kept back is for the decision. */
  openReserve(): void {
    this.#spent = Math.min(this.#spent, this.#limit)
    this.#limit = STEPS
  }
}

let inForce: Budget | null = null

/** Runs under the budget in force; under a new one where there is none. */
export function withBudget<Result>(
  action: (budget: Budget) => Result,
  budget = inForce ?? new Budget(),
): Result {
  const outer = inForce
  inForce = budget
  try {
    return action(budget)
  } finally {
    inForce = outer
  }
}

/** Throws `BudgetUsedUp` when nothing is left. */
export function spend(steps: number): void {
  inForce?.spend(steps)
}

/** What one question to the file system costs, besides its path. */
export const FILE_STEPS = 100
