/** Containers: mounted folders are reachable from inside. */

import { describe, expect, test } from 'vitest'
import { readingVerdict } from '../../../../test/support/reading-verdict.js'

describe('containers', () => {
  test.each([
    "docker run -v ~:/d alpine sh -c 'rm -rf /d/*'",
    "docker run -v ~/:/d alpine sh -c 'rm -rf /d/*'",
    "docker run -v $HOME:/d alpine sh -c 'rm -rf /d/*'",
    "docker run -v /home/dev:/d alpine sh -c 'rm -rf /d/*'",
    'docker run -v /:/h alpine rm -rf /h',
    "podman run --rm -v ~:/d alpine sh -c 'rm -rf /d/*'",
    "podman run --mount type=bind,src=/home/dev,dst=/d alpine sh -c 'cd /d && rm -rf *'",
    "docker run -v .:/w -w /w alpine sh -c 'rm -rf *'",
    "docker run --volume=/etc:/e alpine sh -c 'echo x > /e/passwd'",
  ])('%s destroys what is mounted', (command) => {
    expect(readingVerdict(command)).toBe('deny')
  })

  test.each([
    "docker run alpine sh -c 'rm -rf /d/*'",
    'docker run -v ~/x:/d alpine ls /d',
    "docker run -v ./build:/d alpine sh -c 'rm -rf /d/*'",
  ])('%s is asked', (command) => {
    expect(readingVerdict(command)).toBe('ask')
  })
})
