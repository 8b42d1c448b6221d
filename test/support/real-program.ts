/** Real programs as witnesses: what they refuse in a sandbox is not harmless. */

import { spawnSync } from 'node:child_process'

export function isGnu(program: string): boolean {
  return /GNU/.test(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '')
}

export function refuses(program: string, args: readonly string[]): boolean {
  return /sandbox/.test(spawnSync(program, args, { input: 'a\n', encoding: 'utf8', timeout: 10_000 }).stderr)
}

/** Texts of two to nine of the parts, the same in every run. */
export function joinRandomly(parts: readonly string[], count: number): string[] {
  let state = 7
  const below = (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * limit)
  }
  return Array.from({ length: count }, () =>
    Array.from({ length: 2 + below(8) }, () => parts[below(parts.length)]).join(''),
  )
}
