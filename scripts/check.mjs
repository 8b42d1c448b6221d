/**
 * `npm run check`: everything that a machine can say about the code, quickest first. `--tested` leaves the tests out, for a
 * caller that has just run them all.
 */

import { spawnSync } from 'node:child_process'

const TESTS = 'unit, architecture and document tests'

const STEPS = {
  format: 'biome check .',
  lint: 'oxlint --type-aware',
  types: 'tsc --noEmit -p .',
  'types of the dashboard': 'tsc --noEmit -p web',
  'dead code': 'knip',
  [TESTS]: 'vitest run --project unit',
}

const tested = process.argv.includes('--tested')

for (const [name, command] of Object.entries(STEPS)) {
  if (tested && name === TESTS) continue
  const { status, stdout, stderr } = spawnSync(`npx --no-install ${command}`, {
    encoding: 'utf8',
    shell: true,
  })
  if (status !== 0) {
    process.stdout.write(`✗ ${name}\n${stdout}${stderr}`)
    process.exit(1)
  }
  process.stdout.write(`✓ ${name}\n`)
}
