/** Programs that look harmless and are not always: version questions, containers, commands of git. */

import { describe, expect, test } from 'vitest'
import { readingVerdict } from '../../../test/support/reading-verdict.js'

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

describe('commands of git that look and those that only seem to', () => {
  test.each([
    'git remote -v add evil https://example.org/x',
    'git remote -v set-url origin https://example.org/x',
    'git remote -v remove origin',
    'git remote -v update',
    'git remote --verbose rename a b',
    'git remote get-url --add origin x',
    'git remote get-url',
    'git branch topic',
    'git branch -v topic',
    'git branch --sort --list topic',
    'git branch -D topic',
    'git branch -- topic',
    'git branch --edit-description',
    'git tag v1',
    'git tag --sort -l v1',
    'git tag --format --list v1',
    'git tag -d v1',
    'git stash',
    'git stash pop',
    'git worktree add ../x',
    'git reflog expire --all',
    'git reflog --all expire',
    'git reflog delete HEAD@{0}',
    'git notes add -m x',
    'git bisect start',
    'git bisect run ./x',
    'git symbolic-ref HEAD refs/heads/x',
    'git config user.name x',
    'git config --get --file x user.name',
    'git config --file=x --get user.name',
    'git config --get user.name --file x',
    'git config --list',
    'git diff --output=x',
    'git diff --output x',
    'git log --output=x',
    'git diff --ext-diff',
    'git show --textconv HEAD:a.bin',
    'git grep -O x',
    'git grep -Oless x',
    'git grep --open-files-in-pager=less x',
    'git cat-file --textconv HEAD:a',
    'git cat-file --filters HEAD:a',
    'git cat-file --batch',
    'git show --stdin',
    'git log --stdin',
    'git archive HEAD',
    'git bundle create x HEAD',
    'git format-patch -1',
    'git ls-files --exclude-from=/etc/hosts',
    'git blame --contents /etc/hosts a.txt',
    'git diff -O/etc/hosts',
    'git --exec-path=/tmp/x status',
    "git -c alias.x='!touch pwned' x",
    'git -c core.fsmonitor=./x status',
    'git --git-dir=x status',
    'git --work-tree=x status',
    'git -p log',
  ])('%s is asked', (command) => {
    expect(readingVerdict(command)).toBe('ask')
  })

  test.each([
    'git remote',
    'git remote -v',
    'git remote get-url origin',
    'git remote get-url --push origin',
    'git branch',
    'git branch -a -vv',
    'git branch --list "feature/*"',
    'git branch --contains HEAD',
    'git branch --show-current',
    'git tag',
    'git tag -l "v1.*"',
    'git tag --sort=-creatordate',
    'git stash list',
    'git stash show -p',
    'git worktree list',
    'git reflog -5',
    'git config --get user.name',
    'git symbolic-ref HEAD',
    'git shortlog -sn HEAD',
    'git rev-parse --git-path hooks',
    "git for-each-ref --format='%(refname)' refs/heads",
  ])('%s only looks', (command) => {
    expect(readingVerdict(command)).toBe('allow')
  })
})
