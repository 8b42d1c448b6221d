/** `X --version`: programs that are known to print their version without any other effect. */

import { ownEntry } from '../../../lib/own-entry.js'
import type { Field } from '../../shell/field.js'

/**
 * Only programs that look neither for their own version nor for settings or plugins in the working directory. Left
 * out are those that do: toolchains that a file of the repository chooses (rustc, cargo, go, dotnet, swift), package
 * managers and build tools (yarn, pnpm, mvn, gradle, bazel, sbt, bundle), tools of JavaScript that hand over to
 * the project's own copy (jest, webpack, nx, turbo), and those that read settings which name code (hg, pytest, gdb,
 * valgrind, ansible, terraform, composer, erl).
 *
 * `node`, `python` and `ruby` may be shims of asdf, mise, pyenv or rbenv, which read `.tool-versions` and its kin. They
 * choose among versions that the user has installed, and what runs is the user's own: they stay. (Path traversal in
 * these files was closed in rbenv 1.1.2 and pyenv 2.3.3.)
 */
const KNOWN = new Set(
  `node nodejs npm deno python python2 python3 pip pip3 ruby perl php lua luajit java javac gcc g++ cc c++ clang clang++
  make cmake ninja ld ar git gh glab svn docker podman curl wget ssh rsync tar gzip bzip2 xz zip unzip zstd jq yq sed
  awk gawk grep rg fd fzf bat ls cat cp mv rm mkdir rmdir ln chmod chown touch find xargs sort tee dd bash sh dash zsh
  fish vim nvim nano tmux screen less man openssl gpg sqlite3 psql mysql redis-server redis-cli nginx systemctl
  journalctl ghc zig ffmpeg pandoc strace ltrace sudo env nice timeout time watch busybox file tree htop top ps hostname
  uname date id df du split`.split(/\s+/),
)

/** Other words for the version, by program. */
const OTHER_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  '-v': new Set('node npm ruby php perl lua nginx'.split(' ')),
  '-V': new Set('python python2 python3 pip pip3 ssh curl'.split(' ')),
  '-version': new Set('java javac'.split(' ')),
  version: new Set(['zig', 'openssl']),
}

/**
 * `--help` alone prints a page and exits: programs of GNU coreutils and the like that the policy otherwise asks about.
 */
const PRINTS_HELP = new Set(
  'cp mv rm mkdir rmdir ln chmod chown touch split dd tee tar gzip xargs'.split(' '),
)

export function isVersionQuestion(name: string, args: readonly Field[]): boolean {
  const [only, ...others] = args
  if (only === undefined || others.length > 0 || !KNOWN.has(name)) return false
  if (only.text === '--help') return PRINTS_HELP.has(name)
  return only.text === '--version' || ownEntry(OTHER_WORDS, only.text)?.has(name) === true
}
