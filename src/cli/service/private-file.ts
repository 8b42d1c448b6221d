/** Files that `service install` writes: replaced as a whole, readable for their owner only. */

import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** Null if there is no file, or something that is none. */
export function textIn(path: string): string | null {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, 'utf8') : null
}

/** Written beside and put in place as a whole. Private from its first byte: it may hold secrets. */
export function writeFile(path: string, text: string): void {
  const beside = `${path}.new`
  rmSync(beside, { force: true })
  writeFileSync(beside, text, { mode: 0o600, flag: 'wx' })
  renameSync(beside, path)
}

/** Service managers read no file with this ending. */
export function savedName(file: string): string {
  for (let count = 1; ; count += 1) {
    const name = `${file}.saved${count === 1 ? '' : count}`
    if (!lstatSync(name, { throwIfNoEntry: false })) return name
  }
}
