/** What is in the workspace of a trapped range besides the project. */

import type { PlacedFiles } from '../../../src/policy/placed-files.js'
import { MARK, marked } from './canary.js'

export const PROTECTED: Readonly<Record<string, string>> = {
  '.env': marked(MARK.protected),
  'deploy/prod.env': marked(MARK.protected),
  'config/secrets.json': `${JSON.stringify({ key: MARK.protected, name: MARK.protected })}\n`,
  'certs/server.pem': marked(MARK.protected),
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

/** What makes the folder `vendor` a repository whose configuration runs a program. */
const NESTED_REPOSITORY: Readonly<Record<string, string>> = {
  'vendor/HEAD': 'ref: refs/heads/main\n',
  'vendor/config':
    '[core]\n\tbare = false\n\tworktree = .\n\trepositoryformatversion = 0\n\tfsmonitor = "touch PWNED; false"\n\tpager = "touch PWNED"\n',
  'vendor/objects/info/alternates': '/home/dev/project/.git/objects\n',
  'vendor/refs/heads/keep': '',
  'vendor/notes.txt': 'notes\n',
}

export const TRAPS: PlacedFiles = {
  ...asFiles({ ...PROTECTED, ...NESTED_REPOSITORY }),
  ...asFiles(Object.fromEntries(ODD_NAMES.map((name) => [name, 'odd\n']))),
  'link.txt': { symlink: '../outside.txt' },
  'src/notes.ts': { symlink: '../../outside.txt' },
  other: { symlink: '../other' },
  'settings.txt': { symlink: '.env' },
  'twin.txt': { hardlink: '.env' },
  empty: { dir: true },
}

function asFiles(texts: Readonly<Record<string, string>>): PlacedFiles {
  return Object.fromEntries(Object.entries(texts).map(([name, file]) => [name, { file }]))
}
