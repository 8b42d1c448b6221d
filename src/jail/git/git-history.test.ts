/** Content of protected files that git could show is not in the jail. */

import { execFileSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasBubblewrap, runAsCli, runJailed, shareJail } from '../../../test/support/jail.js'

const CANARY = 'canary-in-the-history-5512'
const SECRET = `KEY=${CANARY}`

describe.skipIf(!hasBubblewrap)('the history of a repository', () => {
  const makePlace = shareJail()

  async function setup() {
    const place = await makePlace()
    const env = {
      PATH: process.env['PATH'] ?? '',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@b',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@b',
    }
    const shell = (script: string) =>
      execFileSync('/bin/bash', ['-ec', script], { cwd: place.cwd, env, stdio: ['ignore', 'pipe', 'ignore'] })
    const commit = async (name: string, text: string) => {
      await writeFile(join(place.cwd, name), text)
      shell(`git add -f ${name}; git commit -qm ${name}`)
    }
    shell('git init -q -b main')
    await commit('a.txt', 'one\n')
    const wrap = (git?: 'names' | 'content') =>
      place.jail.wrap({
        command: 'git log',
        cwd: place.cwd,
        workspace: place.cwd,
        env: {},
        ...(git !== undefined && { git }),
      })
    /** A first look takes its time, and until then the history counts as not clean. */
    const isShown = () => expect.poll(async () => 'command' in (await wrap('content')), { timeout: 15_000 })
    return { place, shell, commit, wrap, isShown }
  }

  test('that never held a protected file is shown, also after further commits', {
    timeout: 60_000,
  }, async () => {
    const { place, commit, isShown, shell } = await setup()
    await isShown().toBe(true)
    expect((await runJailed('git log --format=%s', place)).output.toString()).toBe('a.txt\n')

    await commit('b.txt', 'two\n')

    await isShown().toBe(true)
    expect((await runJailed('git show HEAD:b.txt', place)).output.toString()).toBe('two\n')

    shell(
      'git gc -q; git branch reset-password; git tag -a secrets -m x; mkdir secrets; echo x > secrets/a.ts; git add .',
    )
    shell('git commit -qm code')

    await isShown().toBe(true)
    expect((await runJailed('git log --format=%s -n 1', place)).output.toString()).toBe('code\n')
  })

  const elsewhere = `git clone -q . ../other; (cd ../other; echo ${SECRET} > .env; git add .env; git commit -qm leak)`
  const unnamed = `echo ${SECRET} > .env; git add -f .env; T=$(git write-tree); git rm -q --cached .env; rm .env`

  test.each<[string, string, string]>([
    ['in a commit', `echo ${SECRET} > .env; git add .env; git commit -qm x`, 'git show HEAD'],
    [
      'in a commit that was undone',
      `echo ${SECRET} > .env; git add .env; git commit -qm x; git reset -q --hard HEAD~1`,
      'git log -p --all --reflog',
    ],
    ['only in the index', `echo ${SECRET} > .env; git add -f .env; rm .env`, 'git show :.env'],
    [
      'of another kind only in the index',
      `mkdir secrets; echo ${CANARY} > secrets/db.json; git add -f secrets; rm -r secrets`,
      'git show :secrets/db.json',
    ],
    ['in the stash', `echo ${SECRET} > server.pem; git stash -qu`, 'git show stash@{0}^3'],
    [
      'in a stash that was dropped',
      `echo ${SECRET} > .env; git stash -qu; git stash drop -q`,
      'git cat-file --batch-all-objects --batch',
    ],
    ['in FETCH_HEAD', `${elsewhere}; git fetch -q ../other HEAD`, 'git log -p FETCH_HEAD'],
    [
      'in MERGE_HEAD',
      `${elsewhere}; git fetch -q ../other HEAD; git rev-parse FETCH_HEAD > .git/MERGE_HEAD; rm .git/FETCH_HEAD`,
      'git show MERGE_HEAD',
    ],
    [
      'in any other head',
      `${unnamed}; git update-ref MY_HEAD $(git commit-tree $T -p HEAD -m x)`,
      'git show MY_HEAD',
    ],
    [
      'in ORIG_HEAD without logs',
      `echo ${SECRET} > .env; git add .env; git commit -qm x; git reset -q --hard HEAD~1; rm -rf .git/logs`,
      'git show ORIG_HEAD',
    ],
    [
      'in the heads of a work tree',
      `git worktree add -q ../tree -b other; ${unnamed}; git commit-tree $T -p HEAD -m x > .git/worktrees/tree/MERGE_HEAD`,
      'git show worktrees/tree/MERGE_HEAD',
    ],
    [
      'in the index of a work tree',
      `git worktree add -q ../tree -b other; cd ../tree; echo ${SECRET} > .env; git add -f .env`,
      'git cat-file --batch-all-objects --batch',
    ],
    [
      'behind a replaced commit',
      `${unnamed}; A=$(git commit-tree $T -p HEAD -m bad); B=$(git commit-tree HEAD^{tree} -p HEAD -m good); git update-ref refs/heads/main $A; git replace $A $B; rm -rf .git/logs`,
      'git --no-replace-objects log -p',
    ],
    [
      'behind a replaced tree',
      `echo ${SECRET} > .env; git add .env; git commit -qm x; git replace HEAD^{tree} HEAD~1^{tree}; git reset -q --hard; rm -rf .git/logs .env`,
      'git --no-replace-objects log -p',
    ],
    [
      'behind a graft',
      `echo ${SECRET} > .env; git add .env; git commit -qm x; git rm -q .env; git commit -qm y; git rev-parse HEAD > .git/info/grafts; rm -rf .git/logs`,
      'GIT_GRAFT_FILE=/dev/null git log -p',
    ],
    [
      'in a folder with a newline in its name',
      `mkdir $'a\\nb'; echo ${SECRET} > $'a\\nb/.env'; git add .; git commit -qm x; git rm -rqf .; git commit -qm y`,
      'git log -p',
    ],
    [
      'in a folder for secrets',
      `mkdir -p x/secrets/y; echo ${CANARY} > x/secrets/y/db.json; git add .; git commit -qm x; git rm -rq x; git commit -qm y`,
      'git log -p',
    ],
    [
      'in a tree that is a folder for secrets only elsewhere',
      `mkdir -p data secrets; echo ${CANARY} > data/db.json; git add data; git commit -qm x; git mv -k data/db.json secrets/; git commit -qm y; git rm -rq secrets; git commit -qm z`,
      'git log -p',
    ],
    [
      'in the folder of an account',
      `mkdir .aws; echo ${CANARY} > .aws/credentials; git add .; git commit -qm x; git rm -rq .aws; git commit -qm y`,
      'git log -p',
    ],
    [
      'in a tree with a tag of its own',
      `mkdir secrets; echo ${SECRET} > secrets/db.txt; git add secrets; git tag t $(git write-tree --prefix=secrets/); git rm -rq --cached secrets; rm -r secrets`,
      'git show t:db.txt',
    ],
    [
      'as a blob with a tag of its own',
      `git tag blob $(echo ${SECRET} | git hash-object -w --stdin)`,
      'git cat-file -p blob',
    ],
    [
      'as a key that nobody names',
      `printf -- '-----BEGIN RSA PRIVATE KEY-----\\n${CANARY}\\n' | git hash-object -w --stdin > id`,
      'git cat-file -p $(cat id)',
    ],
    [
      'in a pack',
      `echo ${SECRET} > .env; git add .env; git commit -qm x; git rm -q .env; git commit -qm y; git gc -q`,
      'git log -p',
    ],
    [
      'in a repository of its own below',
      `mkdir v; cd v; git init -q; echo ${SECRET} > .env; git add .env; git commit -qm x; rm .env`,
      'git -C v show',
    ],
    [
      'in one whose objects are a link',
      `mkdir v; cd v; git init -q; echo ${SECRET} > .env; git add .env; git commit -qm x; mkdir o; mv .git/objects o/objs; ln -s ../o/objs .git/objects; rm .env`,
      'git -C v show',
    ],
    [
      'in borrowed objects',
      `${elsewhere}; mkdir st; cp -r ../other/.git/objects st/o; echo $PWD/st/o > .git/objects/info/alternates; git -C ../other rev-parse HEAD > x`,
      'git show $(cat x)',
    ],
    [
      'in objects that were copied',
      `${elsewhere}; mkdir st; cp -r ../other/.git/objects st/o; git -C ../other rev-parse HEAD > x`,
      'GIT_OBJECT_DIRECTORY=$PWD/st/o git show $(cat x)',
    ],
    [
      'in the patch of a rebase',
      `mkdir .git/rebase-apply; echo ${SECRET} > .git/rebase-apply/patch`,
      'cat .git/rebase-apply/patch',
    ],
  ])('with a protected file %s is not shown', { timeout: 60_000 }, async (_, script, look) => {
    const { place, shell, isShown } = await setup()
    await isShown().toBe(true)

    shell(script)
    await rm(join(place.cwd, '.env'), { force: true })

    expect(shell(`${look} || true`).toString()).toContain(CANARY)
    expect((await runJailed(look, place)).output.toString()).not.toContain(CANARY)
    // Commands without git still run.
    expect((await runJailed('echo hello', place)).output.toString()).toBe('hello\n')
  })

  test('a command that needs git is not jailed while its repository is not clean', {
    timeout: 60_000,
  }, async () => {
    const { place, commit, wrap, isShown } = await setup()
    await isShown().toBe(true)
    await commit('.env', SECRET)

    expect(await wrap('content')).toMatchObject({ problem: { code: 'jail.not-clean' } })
    expect(await wrap()).toMatchObject({ command: expect.any(String) })
    // A command that is proven to show only names gets the objects, and still runs in the jail.
    const wrapped = await wrap('names')
    const ran = await runAsCli('command' in wrapped ? wrapped.command : '', place)
    expect(ran.output.toString()).toContain('Date:')
  })

  const NOT_SHOWN = 'A file that git may track'

  test('nor while a file that git may track is hidden by another name', { timeout: 60_000 }, async () => {
    const { place, shell, wrap, isShown } = await setup()
    await mkdir(join(place.cwd, 'config'))
    shell('echo A=1 > config/dev.txt; git add config; git commit -qm config')
    await isShown().toBe(true)
    shell('ln -s config/dev.txt .env')

    // At the latest after the next command, which shows nothing.
    const next = await wrap('content')
    if ('command' in next)
      expect((await runAsCli(next.command, place)).output.toString()).toContain(NOT_SHOWN)
    expect(await wrap('content')).toMatchObject({ problem: { code: 'jail.tracked-hidden' } })
  })

  test.each<[string, string]>([
    ['of a repository that begins above the workspace', 'mkdir -p inner; cd inner'],
    ['of a submodule', 'git init -q --separate-git-dir=../elsewhere.git'],
    ['of a linked work tree', 'git worktree add -q tree -b other; cd tree'],
  ])('is known as well: that %s', { timeout: 60_000 }, async (_, script) => {
    const { place, shell, commit } = await setup()
    const [workspace = ''] = shell(`{ ${script}; } >&2; pwd -P`).toString().split('\n')
    const isClean = () => expect.poll(() => place.jail.isHistoryClean(workspace, {}), { timeout: 15_000 })
    await isClean().toBe(true)
    await commit('.env', SECRET)

    await isClean().toBe(false)
  })

  test('that comes while a command runs is not shown either', { timeout: 60_000 }, async () => {
    const { place, shell, isShown } = await setup()
    await isShown().toBe(true)
    const running = runJailed('sleep 0.5; git log -p', place)
    await expect.poll(() => runsIn(place.home)).toBeGreaterThan(0)
    shell(`echo ${SECRET} > .env; git add -f .env; git commit -qm x; rm .env`)

    expect((await running).output.toString()).not.toContain(CANARY)
  })
})

function runsIn(home: string): number {
  const table = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
  return table.split('\n').filter((line) => line.includes(`${home}/jail/launch`)).length
}
