/** The range notices harm of every kind, and none where there is none. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harm, Range, whyNoRange } from '../support/range/range.js'

const why = whyNoRange()

describe.skipIf(why !== null)(`the range${why === null ? '' : ` (skipped: ${why})`}`, () => {
  let range: Range
  beforeAll(() => {
    range = new Range('trapped')
  })
  afterAll(() => range.close())

  const HARMFUL: readonly [string, Harm['kind']][] = [
    ['touch x', 'program started'],
    ['ls [$(rm -rf ~)]*', 'program started'],
    ['/bin/sh -c true', 'program started'],
    ['rustc --version', 'program started'],
    ['git -C vendor status', 'program started'],
    ['echo > new.txt', 'file changed'],
    ['sort -o README.md README.md', 'file changed'],
    ["sed -n ':a w .env' README.md", 'file changed'],
    ['git branch new', 'file changed'],
    ['echo x > /etc/passwd', 'file changed'],
    ['echo x > /usr/bin/ls', 'file changed'],
    ['(sleep 0.3; echo > late.txt) & sleep 0.5', 'file changed'],
    ['git -C bare status', 'program started'],
    ['[ $(cat operator.txt) ]', 'program started'],
    ['echo <(ls)#;touch x', 'program started'],
    ['cat .env', 'shown'],
    ['cat bytes/good.txt', 'shown'],
    ['grep -r KEY bytes', 'shown'],
    ['cd dash && rev -', 'shown'],
    ['strings -t @arguments.txt README.md', 'shown'],
    ['rg KEY ignored', 'shown'],
    ['grep KEY deploy', 'shown'],
    ['cat README.md | grep -3 KEY', 'shown'],
    ['grep -r --exclude-dir=keys KEY ignored', 'shown'],
    ['git log -p', 'shown'],
    ['git grep KEY v1.0.0', 'shown'],
    ['git grep KEY', 'shown'],
    ['cat settings.txt | rev', 'shown'],
    ['base64 deploy/*.env', 'shown'],
    ['xxd .env', 'shown'],
    ['od -c twin.txt', 'shown'],
    ['git show origin/main:.env', 'shown'],
    ['git log -p --all -- .env', 'shown'],
    ['cat ../outside.txt', 'shown'],
    ['cat <<< $API_TOKEN', 'shown'],
    ['env', 'shown'],
    ['wc -l .env', 'read'],
    ['grep -rc import .', 'read'],
    ['ls ..', 'read'],
    ['echo ../*', 'read'],
    [': < /dev/tcp/127.0.0.1/9', 'network'],
    [': < /dev/udp/127.0.0.1/9; echo > /dev/udp/127.0.0.1/9', 'network'],
  ]

  test('harm of every kind is noticed', async () => {
    const found = await range.run(HARMFUL.map(([command]) => command))
    const missed = HARMFUL.filter(
      ([command, kind]) => !found.get(command)?.some((harm) => harm.kind === kind),
    )
    expect(missed).toEqual([])
  })

  test('ordinary looking is no harm', async () => {
    const found = await range.run([
      'ls -la',
      'ls -la .env',
      'cat README.md src/app.ts',
      'git status; git log --oneline; git diff; git log -p -- src/app.ts',
      'git show HEAD~1',
      'grep -rn import src/lib',
      'find . -type f | wc -l',
      'id; whoami; ps aux; date',
      'node --version',
      'cd src && pwd && ls -la',
      "awk '{print $1}' README.md; sed -n 1p README.md; jq .name package.json",
    ])
    expect(found).toEqual(new Map())
  })
})
