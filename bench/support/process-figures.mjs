/** Resources of a process, as Linux reports them in `/proc`. */

import { readdirSync, readFileSync } from 'node:fs'

/** Milliseconds of processor time since its start, in steps of ten. */
export function cpuMsOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

export function residentMbOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024
}

export function descriptorsOf(pid) {
  return readdirSync(`/proc/${pid}/fd`).length
}
