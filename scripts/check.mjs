/** `npm run check`: everything that a machine can say about the code, quickest first. */

import { spawnSync } from 'node:child_process'

const STEPS = {
  format: 'biome check .',
  lint: 'oxlint --type-aware',
  types: 'tsc --noEmit -p .',
  'types of the dashboard': 'tsc --noEmit -p web',
  'dead code': 'knip',
  'unit, architecture and document tests': 'vitest run --project unit',
}

for (const [name, command] of Object.entries(STEPS)) {
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
