/**
 * `npm run test:nodes`: the unit tests on each major version of Node that the package promises. Arguments go to vitest, so
 * `npm run test:nodes -- src/store` runs a part. `NODES=22,24` chooses versions.
 */

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { nodeBinary } from './node-binary.mjs'

const MAJORS = (process.env.NODES ?? '20,22,24').split(',').map(Number)
const VITEST = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))

const failed = []
for (const major of MAJORS) {
  const node = nodeBinary(major)
  if (node === null) {
    console.error(`✗ Node ${major}: not available for ${process.platform}-${process.arch}`)
    failed.push(major)
    continue
  }
  const start = performance.now()
  const { status } = spawnSync(node, [VITEST, 'run', '--project', 'unit', ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  const seconds = ((performance.now() - start) / 1_000).toFixed(0)
  console.log(`${status === 0 ? '✓' : '✗'} Node ${major} in ${seconds} s`)
  if (status !== 0) failed.push(major)
}
if (failed.length > 0) {
  console.error(`Failed on Node ${failed.join(', ')}.`)
  process.exitCode = 1
}
