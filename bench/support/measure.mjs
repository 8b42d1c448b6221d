/** Measures things in turns, so that a noisy machine is noisy for all of them, and prints what they are to each other. */

import { setTimeout as wait } from 'node:timers/promises'

function median(values) {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

export function percentile(values, part) {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
}

/**
 * Each of `subjects` (name to a function that resolves with its figure) in turns; the first round only warms up. `pauseMs`:
 * how long before each, so that what one leaves to be done does not burden the next.
 */
export async function inTurns(subjects, rounds, pauseMs = 0) {
  const figures = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, run] of Object.entries(subjects)) {
      await wait(pauseMs)
      const figure = await run(round)
      if (round > 0) figures[name].push(figure)
    }
  }
  return figures
}

/** How long something takes, in milliseconds. */
export async function timed(action) {
  const start = performance.now()
  await action()
  return performance.now() - start
}

/**
 * Prints a table: medians with their spread, each as a ratio of the first row, and whether the goal is met.
 * `goal`: { row, most } or { row, least }, as a ratio of the first row; or { row, mostOver } in the unit itself.
 */
export function report({ name, unit = 'ms', figures, goals = [], notes = [] }) {
  const [base] = Object.values(figures).map(median)
  const rows = Object.entries(figures).map(([row, values]) => ({
    row,
    median: median(values),
    low: Math.min(...values),
    high: Math.max(...values),
    ratio: median(values) / base,
    count: values.length,
  }))
  const verdicts = goals.map((goal) => verdictOf(goal, rows, base))
  if (process.argv.includes('--json')) {
    console.log(JSON.stringify({ name, unit, rows, verdicts, notes }))
    return
  }
  console.log(`\n${name}`)
  const width = Math.max(...rows.map(({ row }) => row.length))
  for (const { row, median: middle, low, high, ratio } of rows) {
    const spread = `${number(low)}–${number(high)}`
    console.log(
      `  ${row.padEnd(width)}  ${number(middle).padStart(9)} ${unit}  (${spread})  × ${ratio.toFixed(2)}`,
    )
  }
  for (const { text, isMet } of verdicts) console.log(`  ${isMet ? 'met' : 'MISSED'}: ${text}`)
  for (const note of notes) console.log(`  ${note}`)
}

function verdictOf(goal, rows, base) {
  const found = rows.find(({ row }) => row === goal.row)
  if (goal.mostOver !== undefined) {
    const over = found.median - base
    return {
      text: `${goal.row} at most ${goal.mostOver} over the baseline: ${number(over)}`,
      isMet: over <= goal.mostOver,
    }
  }
  if (goal.absolute !== undefined) {
    return {
      text: `${goal.row} at most ${goal.absolute}: ${number(found.median)}`,
      isMet: found.median <= goal.absolute,
    }
  }
  const isMet = goal.most !== undefined ? found.ratio <= goal.most : found.ratio >= goal.least
  const limit = goal.most !== undefined ? `at most ${goal.most}` : `at least ${goal.least}`
  return { text: `${goal.row} ${limit} × the baseline: ${found.ratio.toFixed(2)}`, isMet }
}

function number(value) {
  return value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(3)
}
