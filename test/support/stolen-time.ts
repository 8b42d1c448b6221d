/**
 * Steal time: CPU time that other virtual machines take from this one. A thread that waits for it counts it
 * as its own.
 */

import { existsSync, readFileSync } from 'node:fs'

const FILE = '/proc/stat'
const STEP_MS = 20

interface Sample {
  /** In microseconds, on the clock of traces. */
  at: number
  /** In milliseconds, for each core. */
  cores: readonly number[]
}

export interface StolenTime {
  /** The most that was taken from a core, in milliseconds, between two times in microseconds. */
  within(from: number, to: number): number
  /** Time stolen from all cores, in milliseconds. */
  total(): number
  stop(): void
}

/** Zero on a machine that does not report stolen time. */
export function watchStolenTime(): StolenTime {
  const samples = [sample()]
  const timer = setInterval(() => samples.push(sample()), STEP_MS)
  const between = (first: Sample | undefined, last: Sample | undefined) =>
    (last?.cores ?? []).map((core, place) => core - (first?.cores[place] ?? core))
  return {
    within(from, to) {
      const first = samples.findLast(({ at }) => at <= from) ?? samples[0]
      const last = samples.find(({ at }) => at >= to) ?? samples.at(-1)
      return Math.max(0, ...between(first, last))
    },
    total: () => between(samples[0], samples.at(-1)).reduce((sum, taken) => sum + taken, 0),
    stop() {
      clearInterval(timer)
      samples.push(sample())
    },
  }
}

function sample(): Sample {
  const lines = existsSync(FILE) ? readFileSync(FILE, 'utf8').split('\n') : []
  // The ninth word of a core's line, in hundredths of a second.
  const cores = lines.filter((line) => /^cpu\d/.test(line)).map((line) => Number(line.split(' ')[8]) * 10)
  return { at: Number(process.hrtime.bigint() / 1_000n), cores }
}
