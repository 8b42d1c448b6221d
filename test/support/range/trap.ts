/** Files in the workspace of a trapped range, besides the project. */

import type { PlacedFiles } from '../../../src/policy/file/placed-files.js'
import { MARK, marked } from './canary.js'

/** In the first commit, and tracked since. Git itself may read it, so reading it is no harm. */
export const TRACKED: Readonly<Record<string, string>> = { 'infra/stage.env': marked(MARK.history) }

export const PROTECTED: Readonly<Record<string, string>> = {
  '.env': marked(MARK.protected),
  'deploy/prod.env': marked(MARK.protected),
  'config/secrets.json': `${JSON.stringify({ key: MARK.protected, name: MARK.protected })}\n`,
  'certs/server.pem': marked(MARK.protected),
  'ignored/.env': marked(MARK.protected),
  'ignored/keys/prod.env': marked(MARK.protected),
}

/** Names that an unquoted or badly quoted expansion would take for something else. */
const ODD_NAMES: readonly string[] = [
  'odd/-n',
  'odd/--help',
  'odd/a b.txt',
  'odd/$(touch pwned)',
  'odd/;touch pwned;',
  'odd/[a].txt',
  'odd/new\nline.txt',
]

/** Files that make the folder `vendor` a repository whose configuration runs a program. */
const NESTED_REPOSITORY: Readonly<Record<string, string>> = {
  'vendor/HEAD': 'ref: refs/heads/main\n',
  'vendor/config':
    '[core]\n\tbare = false\n\tworktree = .\n\trepositoryformatversion = 0\n\tfsmonitor = "touch PWNED; false"\n\tpager = "touch PWNED"\n',
  'vendor/objects/info/alternates': '/home/dev/project/.git/objects\n',
  'vendor/refs/heads/keep': '',
  'vendor/notes.txt': 'notes\n',
}

/** The same without objects in the folder itself. */
const SPLIT_REPOSITORY: Readonly<Record<string, string>> = {
  'bare/HEAD': 'ref: refs/heads/main\n',
  'bare/commondir': '../store\n',
  'bare/config.worktree': '[core]\n\tbare = false\n\tworktree = .\n',
  'bare/notes.txt': 'notes\n',
  'store/objects/keep': '',
  'store/refs/keep': '',
  'store/config':
    '[core]\n\trepositoryformatversion = 1\n\tfsmonitor = "touch PWNED; false"\n[extensions]\n\tworktreeConfig = true\n',
}

/** Files that programs take instructions from. */
const LISTS: Readonly<Record<string, string>> = {
  'arguments.txt': 'x ../outside.txt\n',
  'operator.txt': '-v x[$(touch)]\n',
  'ignored/.gitignore': '!.env\n!keys/\n',
  'ignored/a.txt': 'TODO\n',
}

export const TRAPS: PlacedFiles = {
  ...asFiles({ ...PROTECTED, ...NESTED_REPOSITORY, ...SPLIT_REPOSITORY, ...LISTS }),
  'dash/-': { symlink: '../.env' },
  'dash/a.txt': { file: 'TODO\n' },
  ...asFiles(Object.fromEntries(ODD_NAMES.map((name) => [name, 'odd\n']))),
  'link.txt': { symlink: '../outside.txt' },
  'src/notes.ts': { symlink: '../../outside.txt' },
  other: { symlink: '../other' },
  'settings.txt': { symlink: '.env' },
  'twin.txt': { hardlink: '.env' },
  empty: { dir: true },
}

/** Links and folders whose names are not UTF-8, as bytes below the workspace. */
export const ODD_BYTES: Readonly<Record<'links' | 'files', readonly (readonly [Buffer, Buffer])[]>> = {
  links: [
    [bytes('bytes/', 0xff, '.txt'), bytes('../../outside.txt')],
    [bytes('bytes/l', 0xff), bytes('../..')],
    [bytes('bytes/good.txt'), bytes('l', 0xff, '/outside.txt')],
  ],
  files: [[bytes('bytes/d', 0xfe, '/.env'), bytes(marked(MARK.protected))]],
}

function bytes(...parts: readonly (string | number)[]): Buffer {
  return Buffer.concat(
    parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part))),
  )
}

function asFiles(texts: Readonly<Record<string, string>>): PlacedFiles {
  return Object.fromEntries(Object.entries(texts).map(([name, file]) => [name, { file }]))
}
