/**
 * The programs of the range: readers are the real ones, everything else is a stub that only records that it was
 * started. This list is written by hand and shares nothing with the tables of the policy.
 */

import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/**
 * Files that readers change are noticed in the file system; these programs need no further watching. tar starts gzip,
 * bzip2 and xz.
 */
const READERS = `
  [ arch awk b2sum base32 base64 basename basenc bc bzip2 cal cat cksum cmp column comm cut date df diff dir dircolors dirname du
  echo env expand expr factor false file find fmt fold free gawk getconf git grep groups gzip head hexdump
  hostid hostname id ip join jq less locale logname ls lsblk lscpu lsof mawk md5sum more netstat nice nl nproc
  numfmt od paste pathchk pgrep pidof pr printenv printf ps pstree ptx pwd readelf readlink realpath rev rg sed seq sha1sum sha224sum
  sha256sum sha384sum sha512sum shuf sleep sort ss stat stdbuf strings sum tac tail tar test timeout tr tree true
  tsort tty uname unexpand uniq unzip uptime users vdir vmstat w wc whereis who whoami xargs xxd xz zipinfo`
  .trim()
  .split(/\s+/)

/** Written for a shell by their makers, or another name for a reader. */
const SCRIPTS: Readonly<Record<string, string>> = {
  egrep: 'exec grep -E "$@"',
  fgrep: 'exec grep -F "$@"',
  gunzip: 'exec gzip -d "$@"',
  shasum: 'exec sha1sum "${@: -1}"',
  which: 'type -P -- "$@"',
  zcat: 'exec gzip -cd -- "$@"',
}

/** Programs that may not be here but that agents and attackers name. */
const NAMED = `
  apt bash bazel brew bun bundle busybox bwrap cargo chmod chown clang cmake code composer cp curl dash dd deno docker
  dotnet emacs eval fish ftp g++ gcc gem go gradle java javac kill ksh kubectl lerna ln make man mkdir mkfifo
  mkfs mount mv mvn nano nc ncat ninja node npm npx nx openssl perl php pip pip3 pkill pnpm poetry protoc psql python
  python2 python3 redis-server rm rmdir rsync ruby rustc rustup sbt scp screen script sh socat split sqlite3 ssh strace su sudo svn
  swift systemctl tee telnet terraform tmux touch truncate tsc turbo unlink unshare uv vi vim watch wget xdg-open yarn
  yq zsh`
  .trim()
  .split(/\s+/)

/** Asking these for their version reads nothing of the project. */
const VERSIONED = new Set(
  `bash cc chmod chown clang cmake cp curl dash dd deno docker emacs ffmpeg g++ gcc go java javac kill ln make man mkdir mv nano
  nc nginx node npm npx openssl perl php pip pip3 psql python python2 python3 redis-server rm rmdir rsync ruby script sed sh socat split
  sqlite3 ssh strace su sudo svn tee tmux touch truncate tsc unlink unshare vi vim wget zip zsh`.split(/\s+/),
)
/** Other forms of the question, and which programs answer them: others run a file of that name, or read their input. */
const OTHER_QUESTIONS: Readonly<Record<string, string>> = {
  '-v': 'node npm ruby php perl nginx',
  '-V': 'python python3 pip pip3 ssh tmux curl',
  '-version': 'java javac',
  version: 'openssl',
  '--help': 'cp mv rm mkdir rmdir ln chmod chown touch split dd tee',
}

export interface Started {
  program: string
  arguments: string[]
}

export function isHarmlessStart({ program, arguments: [word = '', ...others] }: Started): boolean {
  // Some looks of git are scripts of its own.
  if (program === 'sh') return /^\/usr\/lib\/git-core\/git-(?:submodule|bisect)$/.test(word)
  if (others.length > 0) return false
  if (word === '--version') return VERSIONED.has(program)
  return Object.hasOwn(OTHER_QUESTIONS, word) && OTHER_QUESTIONS[word]?.split(' ').includes(program) === true
}

/** Each start of a stub is one line of this file: the name and the arguments, parted by the unit separator. */
export const STARTED = '/record/started'
const SEPARATOR = '\u001f'

export function parseStarted(text: string): Started[] {
  return text
    .split('\u001e')
    .filter((line) => line !== '')
    .map((line) => {
      const [program = '', ...words] = line.split(SEPARATOR)
      return { program: program.slice(program.lastIndexOf('/') + 1), arguments: words }
    })
}

/** Fills `/usr/bin` and `/opt/run` of the range. `awk` is the program that answers to that name. */
export function placeTools(root: string, awk: string): void {
  const programs = join(root, 'usr/bin')
  const own = join(root, 'opt/run')
  mkdirSync(programs, { recursive: true })
  mkdirSync(own, { recursive: true })
  copyFileSync('/usr/bin/bash', join(own, 'bash'))
  writeScript(join(own, 'stub'), `IFS=$'\\x1f'; printf '%s\\x1e' "$0\${*:+$IFS}$*" >> ${STARTED}`)
  for (const [name, text] of Object.entries(SCRIPTS)) writeScript(join(programs, name), text)
  for (const name of READERS) {
    const real = ['/usr/bin', '/usr/sbin']
      .map((folder) => join(folder, name === 'awk' ? awk : name))
      .find(existsSync)
    if (real !== undefined && !existsSync(join(programs, name))) copyFileSync(real, join(programs, name))
  }
  const others = ['/usr/bin', '/usr/sbin'].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder) : [],
  )
  for (const name of new Set([...others, ...NAMED])) {
    if (!READERS.includes(name) && !(name in SCRIPTS) && !existsSync(join(programs, name)))
      symlinkSync('/opt/run/stub', join(programs, name))
  }
}

function writeScript(path: string, text: string): void {
  writeFileSync(path, `#!/opt/run/bash\n${text}\n`)
  chmodSync(path, 0o755)
}
