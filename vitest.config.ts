import { defineConfig } from 'vitest/config'
import { RetriedTests } from './test/support/retried-tests.js'

const SEED = 'test/support/property-seed.ts'
const ALONE = 'test/browser/load.test.ts'

const IS_CI = process.env['CI'] !== undefined && process.env['CI'] !== ''

/** What waits for real processes waits long enough for a slow machine. One retry in CI, and every retry is listed. */
const PATIENT = {
  retry: IS_CI ? 1 : 0,
  testTimeout: 90_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
}

/** The kinds of tests run one after the other, so that real processes are not starved by property tests. */
export default defineConfig({
  test: {
    ...(IS_CI && { reporters: ['default', new RetriedTests()] }),
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/*.test.ts'],
          setupFiles: [SEED],
          globalSetup: [SEED],
          // Importing takes longer than most of these tests: the files of a worker share their modules, and put back what they change.
          isolate: false,
          restoreMocks: true,
          unstubEnvs: true,
          unstubGlobals: true,
          testTimeout: 60_000,
          expect: { poll: { timeout: 10_000 } },
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'end-to-end',
          include: ['test/e2e/**/*.test.ts'],
          ...PATIENT,
          // They wait for processes more than they compute: three of them keep two cores busy.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          exclude: [ALONE],
          ...PATIENT,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          // Looks at how smoothly the page draws, so nothing else may run beside it.
          name: 'browser-alone',
          include: [ALONE],
          ...PATIENT,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
})
