/**
 * Lists tests that passed only when they were retried, and fails the run when there are more than a few: a flaky test is
 * usually a race in the product, so none goes unseen.
 */

import type { Reporter, TestCase, TestModule } from 'vitest/node'

const MAX_RETRIED = 3
const MAX_STACK = 8
const MAX_TEXT = 4_000

export class RetriedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const retried = modules.flatMap((module) => [...module.children.allTests()].filter(isFlaky))
    if (retried.length === 0) return
    const lines = retried.flatMap((test) => [
      `  ${test.module.relativeModuleId}: ${test.fullName}`,
      ...firstFailures(test).map((text) => text.replaceAll(/^/gm, '      ')),
    ])
    process.stdout.write(`\nPassed only after a retry (find the race):\n${lines.join('\n')}\n`)
    if (retried.length <= MAX_RETRIED) return
    process.stdout.write(`More than ${MAX_RETRIED} tests needed a retry: the run fails.\n`)
    process.exitCode = 1
  }
}

function isFlaky(test: TestCase): boolean {
  return test.diagnostic()?.flaky ?? false
}

/** Without the reason of the failed attempt a race cannot be found. */
function firstFailures(test: TestCase): string[] {
  const errors = test.result().errors ?? []
  return errors.map(({ message, stack, cause }) =>
    [message, stack?.split('\n').slice(0, MAX_STACK).join('\n'), cause?.message]
      .filter((part) => part !== undefined)
      .join('\n')
      .slice(0, MAX_TEXT),
  )
}
