/** Workspaces with hostile files, most of which a clone can bring along: what an attack on the policy has used. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface AttackScene {
  home: string
  cwd: string
}

const GIT_ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
}

export function git(cwd: string, ...words: string[]): string {
  const person = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'init.defaultBranch=main']
  return execFileSync('git', [...person, ...words], {
    cwd,
    env: GIT_ENVIRONMENT,
    stdio: 'pipe',
    encoding: 'utf8',
  })
}

function place(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

function commit(cwd: string, message: string): void {
  git(cwd, 'add', '-A', '-f')
  git(cwd, 'commit', '-q', '-m', message)
}

const ORDINARY = {
  'README.md': '# readme\n',
  'notes.txt': 'line\n',
  'data.json': '{"a": 1}\n',
  'src/a.ts': 'export const a = 1\n',
  'docs/guide.md': '# guide\n',
  'clean/one.txt': 'one\n',
}

const SECRETS = { '.env': 'KEY=CANARY\n', 'config/prod.env': 'KEY=CANARY\n', '.env.js': 'KEY=CANARY\n' }

/** A repository with one commit of ordinary files. */
function ordinary(folder: string): AttackScene {
  const home = join(folder, 'home')
  const cwd = join(home, 'project')
  place(cwd, ORDINARY)
  place(home, { 'outside.txt': 'OUTSIDE\n' })
  git(cwd, 'init', '-q')
  commit(cwd, 'Start')
  return { home, cwd }
}

const ATTACK_SCENES = {
  ordinary,

  /** Protected files that git does not know. */
  untracked(folder) {
    const scene = ordinary(folder)
    place(scene.cwd, SECRETS)
    return scene
  },

  /** The same, tracked, with links named `-`. */
  tracked(folder) {
    const scene = ordinary(folder)
    place(scene.cwd, SECRETS)
    commit(scene.cwd, 'Settings')
    symlinkSync('.env', join(scene.cwd, '-'))
    symlinkSync('../../outside.txt', join(scene.cwd, 'src/-'))
    return scene
  },

  /** Nothing protected in the working tree: only in older commits, and staged. */
  history(folder) {
    const scene = ordinary(folder)
    place(scene.cwd, SECRETS)
    commit(scene.cwd, 'Settings')
    git(scene.cwd, 'tag', 'leak')
    git(scene.cwd, 'rm', '-q', ...Object.keys(SECRETS))
    git(scene.cwd, 'commit', '-q', '-m', 'Drop')
    return scene
  },

  /** A protected file in the oldest commit only, in a folder that is there still; `plan` was a folder with one. */
  buried(folder) {
    const scene = ordinary(folder)
    place(scene.cwd, { 'src/.env': 'KEY=CANARY\n', 'plan/.env': 'KEY=CANARY\n' })
    commit(scene.cwd, 'Settings')
    git(scene.cwd, 'rm', '-q', 'src/.env', 'plan/.env')
    place(scene.cwd, { plan: 'a file now\n' })
    commit(scene.cwd, 'Drop')
    for (const text of ['one', 'two', 'three']) {
      place(scene.cwd, { 'notes.txt': `${text}\n` })
      commit(scene.cwd, text)
    }
    return scene
  },

  /** A tracked name that some programs take for a file of arguments, which leads to a protected one. */
  argumentFile(folder) {
    const scene = ordinary(folder)
    place(scene.cwd, { '@xx': 'x\n', xx: '.env\n', '.gitignore': '.env\n' })
    commit(scene.cwd, 'Names')
    place(scene.cwd, { '.env': 'KEY=CANARY\n' })
    git(scene.cwd, 'rm', '-q', '--cached', '--ignore-unmatch', '.env')
    return scene
  },

  staged(folder) {
    const scene = ordinary(folder)
    place(scene.cwd, { 'staged.env': 'KEY=CANARY\n' })
    git(scene.cwd, 'add', '-f', 'staged.env')
    git(scene.cwd, 'rm', '-q', '--cached', 'README.md')
    return scene
  },

  /** Names that are not UTF-8, and a path that is too long. */
  odd(folder) {
    const scene = ordinary(folder)
    const at = (...parts: (string | number)[]) =>
      Buffer.concat([
        Buffer.from(`${scene.cwd}/`),
        ...parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part))),
      ])
    for (const name of ['links', 'globbed', 'chain', 'deep']) mkdirSync(join(scene.cwd, name))
    symlinkSync('../..', at('links/l', 0xff))
    symlinkSync('../../outside.txt', at('globbed/', 0xff, '.txt'))
    mkdirSync(at('hidden/d', 0xfe), { recursive: true })
    writeFileSync(at('hidden/d', 0xfe, '/.env'), 'KEY=CANARY\n')
    symlinkSync('../..', at('chain/h', 0xff))
    symlinkSync(
      Buffer.concat([Buffer.from('h'), Buffer.from([0xff]), Buffer.from('/outside.txt')]),
      at('chain/good.txt'),
    )
    // Longer than any path that can be named at once.
    const long = 'd'.repeat(200)
    const make = `cd deep; for i in $(seq 22); do mkdir ${long}; cd ${long}; done; echo KEY=CANARY > .env`
    execFileSync('bash', ['-c', make], { cwd: scene.cwd })
    return scene
  },

  /** A repository out of ordinary files, whose objects lie elsewhere; one with a `.git`; one that is stored as such. */
  repositories(folder) {
    const scene = ordinary(folder)
    place(scene.cwd, {
      'bare/HEAD': 'ref: refs/heads/main\n',
      'bare/commondir': '../store\n',
      'bare/config.worktree': '[core]\n\tbare = false\n\tworktree = .\n',
      'store/objects/keep': '',
      'store/refs/keep': '',
      'store/config':
        '[core]\n\trepositoryformatversion = 1\n\tfsmonitor = "touch PWNED; false"\n[extensions]\n\tworktreeConfig = true\n',
      'bin/run.sh': 'echo RAN\n',
      'evil.txt': '-v x[$(./bin/run.sh)]\n',
    })
    mkdirSync(join(scene.cwd, 'nested'))
    git(join(scene.cwd, 'nested'), 'init', '-q')
    git(join(scene.cwd, 'nested'), 'config', 'core.fsmonitor', 'touch PWNED; false')
    return scene
  },

  /** The workspace is a folder of the repository. */
  part(folder) {
    const { home, cwd: top } = ordinary(folder)
    place(top, { 'part/a.txt': 'a\n', 'other/f.txt': 'OUTSIDE\n' })
    commit(top, 'Parts')
    return { home, cwd: join(top, 'part') }
  },

  /** Files of arguments, and ignore files that re-include protected files. */
  listed(folder) {
    const scene = ordinary(folder)
    place(scene.cwd, {
      ...SECRETS,
      'arguments.txt': 'x ../outside.txt\n',
      '.gitignore': '!.env\n!config/\n',
      '.hidden/notes.txt': 'x\n',
    })
    return scene
  },
  /** Git shows another commit, with a protected file, for the latest one; the reference that says so is packed. */
  replaced(folder) {
    const scene = ordinary(folder)
    place(scene.cwd, SECRETS)
    git(scene.cwd, 'checkout', '-q', '-b', 'other')
    commit(scene.cwd, 'Settings')
    const other = git(scene.cwd, 'rev-parse', 'HEAD').trim()
    git(scene.cwd, 'checkout', '-q', 'main')
    git(scene.cwd, 'replace', 'HEAD', other)
    git(scene.cwd, 'branch', '-q', '-D', 'other')
    git(scene.cwd, 'pack-refs', '--all')
    return scene
  },

  /** Cloned without the content of files: git fetches what it shows. */
  partial(folder) {
    const { home, cwd: origin } = ordinary(folder)
    git(origin, 'config', 'uploadpack.allowFilter', 'true')
    const cwd = join(home, 'clone')
    git(home, 'clone', '-q', '--filter=blob:none', `file://${origin}`, cwd)
    return { home, cwd }
  },

  /** Installed packages bring keys for their tests. */
  packages(folder) {
    const scene = ordinary(folder)
    place(scene.cwd, { 'node_modules/x/test/server.pem': 'KEY\n' })
    return scene
  },

  /** The same, where the ignore file lies above the workspace. */
  listedAbove(folder) {
    const scene = ordinary(folder)
    place(scene.cwd, { ...SECRETS, 'config/.env': 'KEY=CANARY\n' })
    place(scene.home, { '.ignore': '!.env\n' })
    return scene
  },
} as const satisfies Record<string, (folder: string) => AttackScene>

export type AttackSceneName = keyof typeof ATTACK_SCENES

/** All of them, for the tests of a file; `close` deletes them. */
export function buildAttackScenes(): { scenes: ReadonlyMap<AttackSceneName, AttackScene>; close(): unknown } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-')))
  const names = Object.keys(ATTACK_SCENES) as AttackSceneName[]
  return {
    scenes: new Map(names.map((name) => [name, ATTACK_SCENES[name](join(folder, name))])),
    // Node cannot delete what it cannot name.
    close: () => execFileSync('rm', ['-rf', folder]),
  }
}
