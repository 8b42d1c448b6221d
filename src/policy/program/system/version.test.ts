/** Version queries: some programs run code of the repository to answer them. */

import { describe, expect, test } from 'vitest'
import { readingVerdict } from '../../../../test/support/reading-verdict.js'

describe('a question for the version', () => {
  test.each(
    `rustc cargo mvn yarn pnpm npx bazel sbt go gradle dotnet bundle nx turbo lerna jest pytest hg erl composer
    terraform ansible valgrind gdb flutter mix poetry`.split(/\s+/),
  )('%s may run code of the repository', (program) => {
    expect(readingVerdict(`${program} --version`)).toBe('ask')
  })

  test.each([
    'node --version',
    'npm --version',
    'npm -v',
    'split --help',
    'python3 -V',
    'git --version',
    'java -version',
    'gcc --version',
  ])('%s only prints', (command) => {
    expect(readingVerdict(command)).toBe('allow')
  })
})
