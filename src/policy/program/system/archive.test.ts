/** Archives: listing them only reads, extracting them writes. */

import { describe, expect, test } from 'vitest'
import { readingVerdict } from '../../../../test/support/reading-verdict.js'

describe('listings of archives and sockets', () => {
  test.each([
    'tar -tzf a.tgz',
    'tar tvf a.tar',
    'unzip -l a.zip',
    'zipinfo -1 a.zip',
    'gzip -l a.gz',
    'zcat a.gz | head',
    'ss -ltn',
    "fd '\\.ts$' src",
    'umask',
    'ulimit -n',
    'git symbolic-ref --short HEAD',
    'git config user.name',
  ])('%s only reads', (command) => {
    expect(readingVerdict(command)).toBe('allow')
  })

  test.each([
    'tar -xzf a.tgz',
    'tar -tf host:a.tar',
    "tar -tf a.tar --to-command='touch x'",
    "tar -tf a.tar --checkpoint-action=exec='touch x'",
    "tar -tf a.tar -I './x'",
    'tar -t',
    'unzip a.zip',
    'unzip -lo a.zip',
    'gzip a.txt',
    'gunzip a.gz',
    'gzip -c -S x a.txt',
    'zcat .env.gz.env',
    'ss -K',
    'ss -D out.txt',
    'ss -r',
    'fd -x touch',
    'fd . -X rm',
    'umask 000',
    'ulimit -n 5',
    'git symbolic-ref --short HEAD refs/heads/x',
    'git symbolic-ref -d HEAD',
    'git config user.name x',
  ])('%s is asked', (command) => {
    expect(readingVerdict(command)).toBe('ask')
  })

  test('what is unpacked into a shell is still denied', () => {
    expect(readingVerdict('zcat a.gz | sh')).toBe('deny')
  })
})
