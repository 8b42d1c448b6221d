import { expect, test } from 'vitest'
import { IndexBudget } from './index-budget.js'

test.each([
  ['entries', (budget: IndexBudget) => budget.spendEntry(0, 'a'), 300_000],
  ['characters of long paths', (budget: IndexBudget) => budget.spendEntry(4_000, 'a'.repeat(200)), 5_715],
  ['tests against rules', (budget: IndexBudget) => budget.spendTests(1_000_000), 100],
])('is used up by %s', (_, spend, times) => {
  const budget = new IndexBudget()
  for (let count = 1; count < times; count += 1) spend(budget)
  expect(budget.isUsedUp).toBe(false)
  spend(budget)
  expect(budget.isUsedUp).toBe(true)
})
