/** Loaded before a program: kills it before or after one of its changes of files. `DIES_AT`: the number of that change. */

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const promises = fs.promises
const diesAt = Number(process.env.DIES_AT)
const isAfter = process.env.DIES_AFTER === 'true'
let count = 0

function die() {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}

for (const name of ['rename', 'link', 'unlink', 'mkdir', 'rmdir', 'symlink', 'rm', 'writeFile']) {
  const work = promises[name]
  promises[name] = async (...args) => {
    count += 1
    const isNow = count === diesAt
    if (isNow && !isAfter) return die()
    return isNow ? work(...args).then(die, die) : work(...args)
  }
}

for (const name of ['renameSync', 'writeFileSync', 'mkdirSync', 'rmSync']) {
  const work = fs[name]
  fs[name] = (...args) => {
    count += 1
    if (count === diesAt && !isAfter) void die()
    const result = work(...args)
    if (count === diesAt) void die()
    return result
  }
}

syncBuiltinESMExports()
