/**
 * Programs that only read, with every option that only reads. The policy asks about everything that is not listed here.
 */

import { changeLetters, decodeBase64, decodeHex, reverseLines } from './language/text.js'
import { HELP, MACHINE_PROGRAMS } from './machine-programs.js'
import type { Arguments } from './option.js'
import type { Spec } from './spec.js'
import { diffTree, grepTree, ripgrepTree } from './system/recursion.js'

/** Without the options that run a program for each file. */
const FD: Spec = {
  options: `-HIusigFalLp01qh -d: -t: -e: -E: -S: -c: -j: --hidden --no-ignore --no-ignore-vcs --unrestricted
    --case-sensitive --ignore-case --glob --fixed-strings --absolute-path --list-details --follow --full-path --print0
    --max-depth: --min-depth: --exact-depth: --type: --extension: --exclude: --size: --changed-within:
    --changed-before: --color: --max-results: --quiet --strip-cwd-prefix --help --version`,
  operands: 'text look*',
  prints: 'facts',
}

export const READERS: Readonly<Record<string, Spec>> = {
  ls: {
    options: `-aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1 -I: -w: -T: --all --almost-all --author --escape --block-size:
      --ignore-backups --color? --directory --dired --classify? --file-type --format: --full-time
      --group-directories-first --no-group --human-readable --si --dereference-command-line
      --dereference-command-line-symlink-to-dir --hide: --hyperlink? --indicator-style: --inode --ignore: --kibibytes
      --dereference --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name
      --quoting-style: --reverse --recursive --size --sort: --time: --time-style: --tabsize: --width: --context
      --zero ${HELP}`,
    operands: 'look*',
    prints: 'facts',
    listsFolder: true,
  },
  cat: {
    options: `-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs
      --show-nonprinting ${HELP}`,
    operands: 'read*',
    textOf: (args, input) => (args.options.length === 0 ? input : null),
  },
  head: {
    options: `+number -n: -c: -qvz --lines: --bytes: --quiet --silent --verbose --zero-terminated ${HELP}`,
    operands: 'read*',
  },
  tail: {
    options: `+number -n: -c: -s: -fFqvz --lines: --bytes: --follow? --pid: --retry --sleep-interval:
      --max-unchanged-stats: --quiet --silent --verbose --zero-terminated ${HELP}`,
    operands: 'read*',
  },
  wc: {
    options: `-clmLw --bytes --chars --lines --files0-from:ask --max-line-length --words --total: ${HELP}`,
    operands: 'read*',
    prints: 'facts',
    // The output has the name of the file beside its number.
    shape: ({ operands, options }) => (operands.length === 0 && options.length === 1 ? 'number' : undefined),
  },
  grep: {
    options: `+number -EFGPivwxycoqshHnbTUuZzaIrRLl -e: -f:read -m: -A: -B: -C: -D: -d: --extended-regexp
      --fixed-strings --basic-regexp --perl-regexp --regexp: --file:read --ignore-case --no-ignore-case --word-regexp
      --line-regexp --null-data --no-messages --invert-match --max-count: --byte-offset --line-number --line-buffered
      --with-filename --no-filename --label: --only-matching --quiet --silent --binary-files: --text --directories:
      --devices: --recursive --dereference-recursive --include:aim --exclude: --exclude-from:read --exclude-dir:
      --files-without-match --files-with-matches --count --initial-tab --null --before-context: --after-context:
      --context? --colour? --color? --binary --unix-byte-offsets ${HELP}`,
    operands: 'text read*',
    instead: ['e', 'f', 'regexp', 'file'],
    recursion: grepTree,
  },
  rg: {
    options: `-abcFhHiIlLnNopPqsSuUvwx0. -e: -f:read -g:aim -j: -m: -M: -r: -t: -T: -A: -B: -C: -E: -d: --hidden
      --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-global --no-ignore-dot
      --no-ignore-exclude --no-ignore-files --no-ignore-messages --ignore --ignore-vcs --files --files-with-matches
      --files-without-match --count --count-matches --ignore-case --smart-case --case-sensitive --fixed-strings
      --no-fixed-strings --word-regexp --line-regexp --invert-match --line-number --no-line-number --with-filename
      --no-filename --heading --no-heading --column --no-column --only-matching --null --null-data --multiline
      --no-multiline --multiline-dotall --pcre2 --no-pcre2 --text --no-text --binary --follow --no-follow
      --one-file-system --quiet --stats --no-stats --trim --no-trim --json --vimgrep --pretty --passthru
      --unrestricted --crlf --block-buffered --line-buffered --no-messages --no-config --type-list --debug --trace
      --mmap --no-mmap --no-unicode --no-pre --sort-files --include-zero --byte-offset --stop-on-nonmatch
      --auto-hybrid-regex --max-columns-preview --glob-case-insensitive --no-context-separator --no-encoding
      --regexp: --file:read --glob:aim --iglob:aim --type: --type-not: --type-add: --type-clear: --max-count:
      --max-depth: --maxdepth: --max-filesize: --max-columns: --after-context: --before-context: --context: --color:
      --colors: --replace: --sort: --sortr: --threads: --encoding: --engine: --path-separator: --context-separator:
      --field-match-separator: --field-context-separator: --dfa-size-limit: --regex-size-limit: --ignore-file:read
      --hyperlink-format: --pre:shell --pre-glob:ask --hostname-bin:shell --search-zip! -z! --help --version -V
      --pcre2-version`,
    operands: 'text read*',
    instead: ['e', 'f', 'regexp', 'file', 'files', 'type-list'],
    recursion: ripgrepTree,
  },
  sort: {
    options: `-bdfghiMnrRVcCmsuz -k: -t: -S: -o:write -T:folder --ignore-leading-blanks --dictionary-order --ignore-case
      --general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort --random-sort
      --random-source:read --reverse --sort: --version-sort --batch-size: --check? --compress-program:shell --debug
      --files0-from:ask --key: --merge --output:write --stable --buffer-size: --field-separator:
      --temporary-directory:folder --parallel: --unique --zero-terminated ${HELP}`,
    operands: 'read*',
    textOf: (args, input) => (args.options.length === 0 ? input : null),
  },
  uniq: {
    options: `+number -cdDiuz -f: -s: -w: --count --repeated --all-repeated? --group? --skip-fields: --ignore-case
      --skip-chars: --unique --zero-terminated --check-chars: ${HELP}`,
    operands: 'read write',
  },
  cut: {
    options: `-b: -c: -d: -f: -nsz --bytes: --characters: --delimiter: --fields: --complement --only-delimited
      --output-delimiter: --zero-terminated ${HELP}`,
    operands: 'read*',
  },
  tr: {
    options: `-cCdst --complement --delete --squeeze-repeats --truncate-set1 ${HELP}`,
    operands: 'text text',
    textOf: (args, input) => changeLetters(args, input),
  },
  rev: {
    options: '-0 -h -V --help --version --zero',
    operands: 'read*',
    textOf: (_, input) => reverseLines(input),
  },
  tac: { options: `-b -r -s: --before --regex --separator: ${HELP}`, operands: 'read*' },
  nl: {
    options: `-p -b: -d: -f: -h: -i: -l: -n: -s: -v: -w: --body-numbering: --section-delimiter: --footer-numbering:
      --header-numbering: --line-increment: --join-blank-lines: --number-format: --no-renumber --number-separator:
      --starting-line-number: --number-width: ${HELP}`,
    operands: 'read*',
  },
  od: {
    options: `-abcdfhiloBDFHILOXesvx -A: -j: -N: -S? -t: -w? --address-radix: --endian: --skip-bytes: --read-bytes:
      --strings? --format: --output-duplicates --width? --traditional ${HELP}`,
    operands: 'read*',
  },
  hexdump: { options: '-bcCdovxX -e: -f:read -L? -n: -s: -V -h', operands: 'read*' },
  hd: { options: '-bcCdovxX -e: -f:read -n: -s: -V -h', operands: 'read*' },
  xxd: {
    // Everything behind the file is an operand: `xxd a -b` writes a file named `-b`. It has names of several letters
    // behind one dash, and no clusters.
    options: `+single +stop --a --autoskip --b --bits --C --capitalize --d --e --E --EBCDIC --i --include --p --ps --plain
      --postscript --r --revert --u --uppercase --v --version --h --help --c: --cols: --g: --groupsize: --l: --len: --o:
      --s: --seek: --n: --name: --R:`,
    operands: 'read write',
    prints: (args) => (args.has('r', 'revert') ? 'unseen' : 'content'),
    textOf: (args, input) => (args.has('r', 'revert') ? decodeHex(input) : null),
  },
  strings: {
    options: `+number -afow -n: -t: -e: -T: -s: -U: -v -V -h --all --print-file-name --bytes: --radix: --encoding:
      --include-all-whitespace --output-separator: --unicode: ${HELP}`,
    operands: 'read*',
    expandsFiles: true,
  },
  diff: {
    options: `+number -abBcdeEfhHinNpPqrstTuvwyZ -l! -I: -L: -S: -U: -C: -W: -x: -X:read -D: -F: --normal --brief
      --report-identical-files --context? --unified? --ed --rcs --side-by-side --width: --left-column
      --suppress-common-lines --show-c-function --show-function-line: --label: --expand-tabs --initial-tab --tabsize:
      --suppress-blank-empty --recursive --no-dereference --new-file --unidirectional-new-file
      --ignore-file-name-case --no-ignore-file-name-case --exclude: --exclude-from:read --starting-file:
      --from-file:read --to-file:read --ignore-case --ignore-tab-expansion --ignore-trailing-space
      --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines: --text
      --strip-trailing-cr --ifdef: --line-format: --old-line-format: --new-line-format: --unchanged-line-format:
      --old-group-format: --new-group-format: --unchanged-group-format: --changed-group-format: --minimal
      --horizon-lines: --speed-large-files --color? --palette: --paginate! ${HELP}`,
    operands: 'read*',
    recursion: diffTree,
  },
  cmp: {
    options: `-bls -i: -n: --print-bytes --ignore-initial: --verbose --bytes: --quiet --silent -v ${HELP}`,
    operands: 'read read text text',
  },
  comm: {
    options: `-123z --check-order --nocheck-order --output-delimiter: --total --zero-terminated ${HELP}`,
    operands: 'read*',
  },
  join: {
    options: `-a: -e: -i -j: -o: -t: -v: -1: -2: -z --ignore-case --check-order --nocheck-order --header
      --zero-terminated ${HELP}`,
    operands: 'read*',
  },
  paste: { options: `-d: -s -z --delimiters: --serial --zero-terminated ${HELP}`, operands: 'read*' },
  fold: { options: `+number -b -s -w: --bytes --spaces --width: ${HELP}`, operands: 'read*' },
  fmt: {
    options: `+number -c -p: -s -t -u -w: -g: --crown-margin --prefix: --split-only --tagged-paragraph
      --uniform-spacing --width: --goal: ${HELP}`,
    operands: 'read*',
  },
  expand: { options: `+number -i -t: --initial --tabs: ${HELP}`, operands: 'read*' },
  unexpand: { options: `+number -a -t: --all --first-only --tabs: ${HELP}`, operands: 'read*' },
  column: {
    options: `-c: -e -J -l: -L -n: -N: -o: -O: -p: -r: -R: -s: -t -T: -W: -x -i: -d --columns: --json --table
      --separator: --output-separator: --table-columns: --table-right: --fillrows --keep-empty-lines --help --version`,
    operands: 'read*',
  },
  numfmt: {
    options: `--debug -d: --delimiter: --field: --format: --from: --from-unit: --grouping --header? --invalid:
      --padding: --round: --suffix: --to: --to-unit: -z --zero-terminated ${HELP}`,
    operands: 'text*',
  },
  basename: { options: `-a -s: -z --multiple --suffix: --zero ${HELP}`, operands: 'text*', prints: 'facts' },
  dirname: { options: `-z --zero ${HELP}`, operands: 'text*', prints: 'facts' },
  realpath: {
    options: `-eEmLPqszc --canonicalize-existing --canonicalize-missing --canonicalize --logical --physical --quiet
      --relative-to: --relative-base: --strip --no-symlinks --zero ${HELP}`,
    operands: 'look*',
    prints: 'facts',
  },
  readlink: {
    options: `-feEmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent
      --verbose --zero ${HELP}`,
    operands: 'look*',
    prints: 'facts',
  },
  stat: {
    options: `-Lftx -c: --dereference --file-system --cached: --format: --printf: --terse ${HELP}`,
    operands: 'look*',
    prints: 'facts',
  },
  file: {
    options: `-bcEhiIkLlNnprsSv0 -e: -F: -P: --brief --checking-printout --mime --mime-type --mime-encoding
      --extension --apple --separator: --no-dereference --dereference --keep-going --no-buffer --no-pad
      --preserve-date --raw --special-files --print0 --exclude: --parameter: --version --help -C! --compile! -m:ask
      --magic-file:ask -f:ask --files-from:ask -z! -Z! --uncompress! --uncompress-noreport!`,
    operands: 'look*',
    prints: 'facts',
  },
  du: {
    options: `-0abcDhHklLmPsSx -B: -d: -t: -X:read --null --all --apparent-size --block-size: --bytes --total
      --dereference-args --max-depth: --files0-from:ask --human-readable --inodes --count-links --dereference
      --no-dereference --separate-dirs --si --summarize --threshold: --time? --time-style: --exclude-from:read
      --exclude: --one-file-system ${HELP}`,
    operands: 'look*',
    prints: 'facts',
  },
  df: {
    options: `-ahHiklPTv -B: -t: -x: --all --block-size: --human-readable --si --inodes --local --no-sync --output?
      --portability --sync --total --type: --print-type --exclude-type: ${HELP}`,
    operands: 'look*',
    prints: 'facts',
  },
  tree: {
    options: `-adfilxpsguhDFqNQJXnCASrtcUv -L: -P: -I: -T: -H: --du --si --prune --filelimit: --timefmt: --noreport
      --charset: --dirsfirst --filesfirst --sort? --matchdirs --ignore-case --gitignore --gitfile:read --info
      --inodes --device --nolinks --metafirst --fromfile! -o:write -R! --help --version`,
    operands: 'look*',
    prints: 'facts',
  },
  ...MACHINE_PROGRAMS,
  fd: FD,
  fdfind: FD,
  zipinfo: { options: '-12shlvzmtT', operands: 'read text*', prints: 'facts' },
  ss: {
    options: `-ltunapeomis46xwdHO --listening --tcp --udp --numeric --all --processes --extended --options --memory
      --info --summary --ipv4 --ipv6 --unix --raw --dccp --no-header --oneline --help --version`,
    operands: 'text*',
    prints: 'facts',
  },
  netstat: {
    options: `-ltunapeorsi46wxvW --listening --tcp --udp --numeric --all --programs --extend --timers --route --statistics
      --interfaces --wide --help --version`,
    prints: 'facts',
  },
  pidof: { options: '-sqxc -o: -S: --single-shot', operands: 'text*' },
  pstree: { options: '-aAcghGlnNpsStTuUVZ -C: -H: -N:', operands: 'text*' },
  base64: {
    options: `-diD -w: --decode --ignore-garbage --wrap: ${HELP}`,
    operands: 'read',
    prints: decoding,
    textOf: (args, input) => (args.has('d', 'D', 'decode') ? decodeBase64(input) : null),
  },
  base32: {
    options: `-di -w: --decode --ignore-garbage --wrap: ${HELP}`,
    operands: 'read',
    prints: decoding,
  },
  basenc: {
    options: `-di -w: --base64 --base64url --base32 --base32hex --base16 --base2msbf --base2lsbf --z85 --decode
      --ignore-garbage --wrap: ${HELP}`,
    operands: 'read',
    prints: decoding,
  },
  cksum: {
    options: `-a: -l: -cbtwz --algorithm: --base64 --check --length: --raw --tag --untagged --zero --ignore-missing
      --quiet --status --strict --warn --debug ${HELP}`,
    operands: 'read*',
    prints: 'facts',
  },
  sum: { options: `-rs --sysv ${HELP}`, operands: 'read*', prints: 'facts' },
  shuf: {
    options: `-er -i: -n: -o:write -z --echo --input-range: --head-count: --output:write --random-source:read --repeat
      --zero-terminated ${HELP}`,
    operands: 'read*',
  },
  tsort: { options: HELP, operands: 'read' },
  zdump: { options: '-v -V -c: -t:', operands: 'text*' },
}

function decoding(args: Arguments): 'unseen' | 'content' {
  return args.has('d', 'D', 'decode') ? 'unseen' : 'content'
}

export const CHECKSUM_SPEC: Spec = {
  options: `-bctwzU0 -a: -l: --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn
    --length: ${HELP}`,
  operands: 'read*',
  prints: 'facts',
}

export const CHECKSUMS = 'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum shasum'.split(' ')
