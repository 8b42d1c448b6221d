/** Measures things in turns, so that a noisy machine is noisy for all of them, and prints what they are to each other. */

import { appendFileSync } from 'node:fs'
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
 * `goal`: { row, most } or { row, least }, as a ratio of the first row, or of the row `of`; or in the unit itself
 * { row, mostOver }, over the first row, or { row, absolute }.
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
  tell({ name, unit, rows, verdicts, notes })
  if (isJson()) return
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

/** A part of the growth may be noise: the sizes are a hundred times apart. */
const NOISE = 2

/**
 * Prints a table with a column for each of `sizes`. `rows`: { row, key }, where `figures` has the values as `KEY SIZE`. The
 * figures are for one thing, so that what costs more than its share grows in its row; with `isWhole` they are for all of
 * them, and may grow as the sizes do.
 */
export function reportGrowth({ name, unit, sizes, figures, rows, isWhole = false, notes = [] }) {
  const table = rows.map(({ row, key }) => ({
    row,
    medians: sizes.map((size) => median(figures[`${key} ${size}`])),
  }))
  const verdicts = table.map(({ row, medians }) => {
    const [first] = medians
    const grown = medians.at(-1) / first
    const most = NOISE * (isWhole ? sizes.at(-1) / sizes[0] : 1)
    return {
      text: `${row}: × ${grown.toFixed(2)} from ${count(sizes[0])} to ${count(sizes.at(-1))} (at most ${most})`,
      figure: `× ${grown.toFixed(2)}`,
      goal: `≤ × ${most}`,
      isMet: grown <= most,
    }
  })
  tell({ name: `growth: ${name}`, unit, sizes, rows: table, verdicts, notes })
  if (isJson()) return
  console.log(`\ngrowth: ${name} (${unit})`)
  const width = Math.max(...rows.map(({ row }) => row.length))
  console.log(`  ${''.padEnd(width)}${sizes.map((size) => count(size).padStart(12)).join('')}`)
  for (const { row, medians } of table)
    console.log(`  ${row.padEnd(width)}${medians.map((value) => number(value).padStart(12)).join('')}`)
  for (const { text, isMet } of verdicts) console.log(`  ${isMet ? 'met' : 'MISSED'}: ${text}`)
  for (const note of notes) console.log(`  ${note}`)
}

function count(value) {
  return value.toLocaleString('en')
}

const isJson = () => process.argv.includes('--json')

/** Reports the result: a line on standard output, and in the file that the runner reads. */
function tell(result) {
  if (isJson()) console.log(JSON.stringify(result))
  if (process.env.BENCH_RESULTS) appendFileSync(process.env.BENCH_RESULTS, `${JSON.stringify(result)}\n`)
}

function verdictOf(goal, rows, base) {
  const found = rows.find(({ row }) => row === goal.row)
  if (goal.mostOver !== undefined) {
    const over = found.median - base
    return {
      text: `${goal.row} at most ${goal.mostOver} over the baseline: ${number(over)}`,
      figure: `+ ${number(over)}`,
      goal: `≤ + ${goal.mostOver}`,
      isMet: over <= goal.mostOver,
    }
  }
  if (goal.absolute !== undefined) {
    return {
      text: `${goal.row} at most ${goal.absolute}: ${number(found.median)}`,
      figure: number(found.median),
      goal: `≤ ${goal.absolute}`,
      isMet: found.median <= goal.absolute,
    }
  }
  const ratio =
    goal.of === undefined ? found.ratio : found.median / rows.find(({ row }) => row === goal.of).median
  const isMet = goal.most !== undefined ? ratio <= goal.most : ratio >= goal.least
  const limit = goal.most !== undefined ? `at most ${goal.most}` : `at least ${goal.least}`
  return {
    text: `${goal.row} ${limit} × ${goal.of ?? 'the baseline'}: ${ratio.toFixed(2)}`,
    figure: `× ${ratio.toFixed(2)}`,
    goal: goal.most !== undefined ? `≤ × ${Number(goal.most.toFixed(3))}` : `≥ × ${goal.least}`,
    isMet,
  }
}

function number(value) {
  return value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(3)
}
