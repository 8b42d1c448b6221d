/**
 * Lists tests that passed only when they were retried, and fails the run when there are more than a few: a flaky test is
 * usually a race in the product, so none goes unseen.
 */

import type { Reporter, TestCase, TestModule } from 'vitest/node'

const MAX_RETRIED = 3

export class RetriedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const retried = modules.flatMap((module) => [...module.children.allTests()].filter(isFlaky))
    if (retried.length === 0) return
    const lines = retried.map((test) => `  ${test.module.relativeModuleId}: ${test.fullName}`)
    process.stdout.write(`\nPassed only after a retry (find the race):\n${lines.join('\n')}\n`)
    if (retried.length <= MAX_RETRIED) return
    process.stdout.write(`More than ${MAX_RETRIED} tests needed a retry: the run fails.\n`)
    process.exitCode = 1
  }
}

function isFlaky(test: TestCase): boolean {
  return test.diagnostic()?.flaky ?? false
}
