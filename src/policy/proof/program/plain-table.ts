/** Programs whose arguments need no grammar of their own: their listed options, and the kinds of their operands. */

import type { Kind } from '../option.js'

export interface PlainRow {
  options: string
  /** Kinds of the first operands, then of all others; without `rest` there are no others. */
  operands?: readonly Kind[]
  rest?: Kind
  /** The default if there is no operand. */
  otherwise?: string
  /** It replaces every argument `@FILE`, also the value of an option, with the words in that file. */
  expandsFiles?: boolean
  /** With only these options, input lines are printed unchanged, in any order. */
  passesLines?: readonly string[]
}

const DIGEST = '-b -t -z --binary --text --zero --tag'

/** Without the options that run a program for each file, and without patterns for another folder. */
const FD: PlainRow = {
  options: `-H -I -u -s -i -g -F -a -p -0 -1 -d:number -t:word -e:word -E:text -S:word --hidden --no-ignore --no-ignore-vcs --unrestricted
    --case-sensitive --ignore-case --glob --fixed-strings --absolute-path --full-path --print0 --max-depth=number
    --min-depth=number --exact-depth=number --type=word --extension=word --exclude=text --size=word --color=word
    --max-results=number --changed-within=word --changed-before=word`,
  // A pattern with a slash may be a path.
  operands: ['look'],
  rest: 'look',
}

export const PLAIN: Readonly<Record<string, PlainRow>> = {
  ls: {
    options: `-a -A -b -B -c -C -d -f -F -g -G -h -i -k -l -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x -X -Z -1 -w:number
      -T:number -I:text --all --almost-all --author --escape --block-size=word --ignore-backups --color[=word] --directory
      --classify[=word] --file-type --format=word --full-time --group-directories-first --no-group --human-readable --si
      --indicator-style=word --inode --ignore=text --hide=text --kibibytes --numeric-uid-gid --literal
      --hide-control-chars --show-control-chars --quote-name --quoting-style=word --reverse --recursive --size --sort=word
      --time=word --time-style=text --tabsize=number --width=number --context`,
    rest: 'look',
    otherwise: '.',
  },
  cat: {
    options: `-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs
      --show-nonprinting`,
    rest: 'read',
  },
  head: {
    options:
      '-c:number -n:number -q -v -z -# --bytes=number --lines=number --quiet --silent --verbose --zero-terminated',
    rest: 'read',
    passesLines: ['-n', '-#', '--lines'],
  },
  tail: {
    options:
      '-c:number -n:number -q -v -z -# --bytes=number --lines=number --quiet --silent --verbose --zero-terminated',
    rest: 'read',
    passesLines: ['-n', '-#', '--lines'],
  },
  wc: {
    options: '-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total=word',
    rest: 'read',
  },
  pwd: { options: '-L -P --logical --physical' },
  sort: {
    options: `-b -d -f -g -h -i -M -n -R -r -V -k:word -s -t:text -u -z -c -C -m -S:word --ignore-leading-blanks
      --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort
      --numeric-sort --random-sort --reverse --version-sort --sort=word --key=word --stable --field-separator=text --unique
      --zero-terminated --check[=word] --merge --parallel=number --buffer-size=word`,
    rest: 'read',
    passesLines: ['-r', '-n', '-u', '-f', '-V', '--reverse', '--unique'],
  },
  uniq: {
    options: `-c -d -D -i -u -z -f:number -s:number -w:number --count --repeated --all-repeated[=word] --ignore-case --unique
      --zero-terminated --skip-fields=number --skip-chars=number --check-chars=number --group[=word]`,
    operands: ['read'],
    passesLines: ['-d', '-i', '-u', '--repeated', '--unique'],
  },
  cut: {
    options: `-d:text -f:word -c:word -b:word -s -z -n --complement --delimiter=text --fields=word --characters=word --bytes=word
      --only-delimited --output-delimiter=text --zero-terminated`,
    rest: 'read',
  },
  tr: {
    options: '-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1',
    operands: ['text', 'text'],
  },
  cmp: {
    options:
      '-l -b -s -n:number -i:word --verbose --print-bytes --quiet --silent --bytes=number --ignore-initial=word',
    operands: ['read', 'read'],
  },
  comm: {
    options: '-1 -2 -3 -z --check-order --nocheck-order --total --output-delimiter=text --zero-terminated',
    operands: ['read', 'read'],
  },
  stat: {
    options: '-c:text -f -t -L --format=text --printf=text --terse --file-system --dereference --cached=word',
    rest: 'look',
  },
  file: {
    options: `-b -i -k -N -n -r -0 -h --brief --mime --mime-type --mime-encoding --keep-going --no-pad --no-buffer --raw
      --print0 --no-dereference --extension --apple`,
    rest: 'read',
  },
  du: {
    options: `-s -h -k -m -c -a -b -x -S -0 -d:number -t:word --summarize --human-readable --total --all --bytes
      --one-file-system --separate-dirs --max-depth=number --apparent-size --exclude=text --si --threshold=word --time[=word]
      --block-size=word --inodes --null`,
    rest: 'look',
    otherwise: '.',
  },
  df: {
    options: `-h -H -k -m -T -i -P -a -l -t:word -x:word --human-readable --si --print-type --inodes --portability --all --local
      --total --output[=word] --type=word --exclude-type=word --block-size=word`,
    rest: 'look',
  },
  tree: {
    options: `-a -d -f -i -L:number -I:text -P:text -s -h -D -F -p -u -g -C -n -r -t -v -U -J -N -q -c -x -A -S --noreport --dirsfirst
      --filesfirst --filelimit=number --prune --charset=word --gitignore --du --si --sort=word --matchdirs --ignore-case
      --inodes --device --timefmt=text --metafirst`,
    rest: 'look',
    otherwise: '.',
  },
  id: {
    options: '-u -g -G -n -r -z -Z -a --user --group --groups --name --real --zero --context',
    rest: 'word',
  },
  groups: { options: '', rest: 'word' },
  whoami: { options: '' },
  logname: { options: '' },
  users: { options: '' },
  who: { options: '-a -b -d -H -l -m -q -r -s -T -u --all --boot --count --heading --users' },
  w: { options: '-h -s -f -o --no-header --short --from', operands: ['word'] },
  pidof: { options: '-s -x -c -q', rest: 'word' },
  pstree: { options: '-a -A -c -g -l -n -p -s -t -T -u', operands: ['word'] },
  lsblk: {
    options:
      '-a -b -d -f -J -l -m -n -p -P -r -S -t -T -o:word --all --bytes --fs --json --list --output=word',
  },
  vmstat: { options: '-a -d -D -m -n -s -t -w', operands: ['number', 'number'] },
  help: { options: '-d -m -s', rest: 'word' },
  uname: {
    options: `-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor
      --hardware-platform --operating-system`,
  },
  arch: { options: '' },
  hostname: { options: '-I -s --all-ip-addresses --short' },
  nproc: { options: '--all --ignore=number' },
  uptime: { options: '-p -s --pretty --since' },
  free: {
    options: '-h -b -k -m -g -w -t -l --human --bytes --kibi --mebi --gibi --si --wide --total --lohi',
  },
  lscpu: { options: '-J --json' },
  tty: { options: '-s --silent --quiet' },
  nl: {
    options: `-b:text -n:word -w:number -s:text -v:number -i:number -l:number -d:text -f:text -h:text -p --body-numbering=text
      --number-format=word --number-width=number --number-separator=text --starting-line-number=number`,
    rest: 'read',
  },
  tac: {
    options: '-b -r -s:text --before --regex --separator=text',
    rest: 'read',
  },
  rev: { options: '-0 --zero', rest: 'read' },
  od: {
    options: `-A:word -t:word -N:number -j:number -w[number] -v -a -b -c -d -f -i -l -o -s -x --address-radix=word --format=word
      --read-bytes=number --skip-bytes=number --output-duplicates --width[=number] --endian=word`,
    rest: 'read',
  },
  hexdump: {
    options: '-C -b -c -d -o -x -v -n:number -s:number -e:text',
    rest: 'read',
  },
  strings: {
    options: `-a -n:number -t:word -e:word -f -o -w -# --all --bytes=number --radix=word --encoding=word --print-file-name
      --include-all-whitespace`,
    rest: 'read',
    expandsFiles: true,
  },
  base64: {
    options: '-d -i -w:number --decode --ignore-garbage --wrap=number',
    operands: ['read'],
  },
  base32: {
    options: '-d -i -w:number --decode --ignore-garbage --wrap=number',
    operands: ['read'],
  },
  md5sum: { options: DIGEST, rest: 'read' },
  sha1sum: { options: DIGEST, rest: 'read' },
  sha224sum: { options: DIGEST, rest: 'read' },
  sha256sum: { options: DIGEST, rest: 'read' },
  sha384sum: { options: DIGEST, rest: 'read' },
  sha512sum: { options: DIGEST, rest: 'read' },
  b2sum: { options: `${DIGEST} -l:number --length=number`, rest: 'read' },
  cksum: {
    options: `-a:word --algorithm=word --base64 --raw --tag --untagged --zero`,
    rest: 'read',
  },
  sum: { options: '-r -s --sysv', rest: 'read' },
  shasum: {
    options: '-a:number -b -t -p --algorithm=number --binary --text --portable',
    rest: 'read',
  },
  basename: {
    options: '-a -s:text -z --multiple --suffix=text --zero',
    rest: 'said',
  },
  dirname: { options: '-z --zero', rest: 'said' },
  realpath: {
    options: `-e -m -q -s -z -L -P --canonicalize-existing --canonicalize-missing --quiet --strip --no-symlinks --zero --logical
      --physical --relative-to=look --relative-base=look`,
    rest: 'look',
  },
  readlink: {
    options: `-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent
      --verbose --zero`,
    rest: 'look',
  },
  which: { options: '-a -s --all', rest: 'word' },
  whereis: { options: '-b -m -s', rest: 'word' },
  type: { options: '-t -p -a -P -f', rest: 'word' },
  sleep: { options: '', operands: ['number'] },
  wait: { options: '' },
  // Without -n: in the column of BSD and of older Debian it takes no value, and the next word is a file.
  column: {
    options: `-t -s:text -o:text -N:text -R:text -H:text -c:number -x -J -L -e -d --table --separator=text
      --output-separator=text --table-columns=text --table-right=text --table-hide=text --output-width=number --fillrows
      --json --table-name=word`,
    rest: 'read',
  },
  paste: {
    options: '-d:text -s -z --delimiters=text --serial --zero-terminated',
    rest: 'read',
  },
  fold: {
    options: '-w:number -s -b -c --width=number --spaces --bytes',
    rest: 'read',
  },
  // Without -p: in the fmt of BSD and macOS it takes no value, and the next word is a file.
  fmt: {
    options: '-w:number -s -u -t -c -g:number -# --width=number --split-only --uniform-spacing',
    rest: 'read',
  },
  expand: { options: '-t:word -i --tabs=word --initial', rest: 'read' },
  unexpand: {
    options: '-t:word -a --tabs=word --all --first-only',
    rest: 'read',
  },
  tsort: { options: '', operands: ['read'] },
  join: {
    options:
      '-1:number -2:number -j:number -t:text -a:number -v:number -o:word -e:text -i -z --header --check-order --nocheck-order --ignore-case',
    operands: ['read', 'read'],
  },
  shuf: {
    options: '-n:number -r -z -i:word -e --head-count=number --repeat --input-range=word',
    operands: ['read'],
  },
  numfmt: {
    options: `--from=word --to=word --field=word --suffix=text --padding=number --header[=number] --format=text --grouping
      --delimiter=text --round=word --invalid=word -d:text`,
    rest: 'word',
  },
  cal: { options: '-1 -3 -y -s -m -j -n:number', rest: 'word' },
  pgrep: {
    options: `-l -a -f -x -c -n -o -i -v -u:word -U:word -P:word -g:word -t:word -s:word -d:text --list-name --list-full --full
      --exact --count --newest --oldest --ignore-case --inverse --euid=word --uid=word --parent=word`,
    rest: 'text',
  },
  umask: { options: '-S -p' },
  ulimit: { options: '-a -c -d -f -l -m -n -s -t -u -v -S -H' },
  fd: FD,
  fdfind: FD,
  factor: { options: '-h --exponents', rest: 'number' },
  jobs: { options: '-l -p -r -s' },
  getconf: { options: '', operands: ['word'] },
  locale: { options: '-a -m --all-locales --charmaps' },
}

/**
 * They answer these words without reading the working directory. Listed one by one: to another program the same word is
 * a file that it runs.
 */
export const VERSIONED: Readonly<Record<string, ReadonlySet<string>>> = {
  '--version': new Set(
    `awk bash cat cc clang cmake cp curl diff docker ffmpeg file find g++ gawk gcc git grep gzip head java javac jq less ls make mv node
    npm nproc openssl perl php pip pip3 ps psql python python3 redis-server rg rm rsync ruby sed sort sqlite3 tail tar tree uname
    vim wc wget xargs xz zsh`.split(/\s+/),
  ),
  '-v': new Set(['node', 'npm', 'ruby', 'php', 'perl', 'nginx']),
  '-V': new Set(['python', 'python3', 'pip', 'pip3', 'ssh', 'tmux', 'curl']),
  '-version': new Set(['java', 'javac']),
  version: new Set(['openssl']),
  '--help': new Set('cp mv rm mkdir rmdir ln chmod chown touch split dd tee'.split(' ')),
}
