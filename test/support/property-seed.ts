/**
 * Gives all property tests one seed, so that a run says something about the change and nothing about luck. Another one:
 * PROPERTY_SEED=42. A new one for each test: PROPERTY_SEED=random, or `npm run test:seeds`, which runs them several times.
 */

import fc from 'fast-check'

const { PROPERTY_SEED = '20261118' } = process.env

if (PROPERTY_SEED !== 'random') fc.configureGlobal({ seed: Number(PROPERTY_SEED) })

/** Once for each run. */
export function setup(): void {
  process.stdout.write(`Property tests: PROPERTY_SEED=${PROPERTY_SEED} ("random", or a number)\n`)
}
