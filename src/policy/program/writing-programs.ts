/** Programs that change something and that one row describes: where they write, what they delete, what they run. */

import type { Spec } from './spec.js'

const HELP = '--help --version'

export const CHANGERS: Readonly<Record<string, Spec>> = {
  tee: {
    options: `-aip --append --ignore-interrupts --output-error? ${HELP}`,
    operands: 'write*',
    asks: 'write',
    textOf: (_, input) => input,
  },
  sponge: { options: '-a', operands: 'write*', asks: 'write' },
  touch: {
    options: `-acfhm -d: -r:look -t: --no-create --date: --no-dereference --reference:look --time: ${HELP}`,
    operands: 'write*',
    asks: 'write',
  },
  mkdir: {
    options: `-pv -m: -Z --mode: --parents --verbose --context? ${HELP}`,
    operands: 'make*',
    asks: 'write',
  },
  rmdir: {
    options: `-pv --ignore-fail-on-non-empty --parents --verbose ${HELP}`,
    operands: 'delete*',
    asks: 'delete',
  },
  unlink: { options: HELP, operands: 'delete*', asks: 'delete' },
  link: { options: HELP, operands: 'copy write', asks: 'write' },
  mkfifo: { options: '-m: --mode:', operands: 'write*', asks: 'write' },
  mknod: { options: '-m: --mode:', operands: 'write text*', asks: 'write' },
  mktemp: {
    options: '-dqtu -p:folder --directory --dry-run --quiet --suffix: --tmpdir?',
    operands: 'text*',
    asks: 'write',
  },
  split: {
    options:
      '-deux -a: -b: -C: -l: -n: -t: --bytes: --lines: --number: --filter:shell --additional-suffix: --suffix-length:',
    operands: 'copy text',
    asks: 'write',
  },
  csplit: {
    options: '-knsz -b: -f: -n: --prefix: --suffix-format: --digits:',
    operands: 'copy text*',
    asks: 'write',
  },
  patch: {
    options:
      '-bcefElnNRstTuvZ -B: -d:folder -D: -F: -g: -i:read -o:write -p: -r:write -V: -Y: -z: --output:write --input:read --directory:folder --reject-file:write --dry-run --strip: --reverse --forward',
    operands: 'write read',
    asks: 'write',
  },
  iconv: {
    options: '-cls -f: -t: -o:write --from-code: --to-code: --output:write --list',
    operands: 'read*',
    asks: 'program',
  },
  dos2unix: { options: '-bfhklLqV -c: -n', operands: 'write*', asks: 'write' },
  unix2dos: { options: '-bfhklLqV -c: -n', operands: 'write*', asks: 'write' },
  rename: { options: '-fnosvV', operands: 'text move*', asks: 'write' },
  prename: { options: '-fnosvV', operands: 'text move*', asks: 'write' },
  'file-rename': { options: '-fnosvV', operands: 'text move*', asks: 'write' },
  mmv: { options: '-acdhlmnoprstvx', operands: 'move*', asks: 'write' },
  trash: { operands: 'move*', asks: 'delete' },
  'trash-put': { operands: 'move*', asks: 'delete' },
  rip: { operands: 'move*', asks: 'delete' },
  sdiff: { options: '-abBdEHilsvWwZ -o:write --output:write', operands: 'read*', asks: 'program' },
  ddrescue: { options: '-adfnrv -b: -i: -o: -s:', operands: 'read write write', asks: 'write' },
  pv: { options: '-abBefghiklnNpqrstTvVwW -L: -s: -i: -N: -B:', operands: 'read*', asks: 'program' },
  uudecode: { options: '-c -o:write', operands: 'read*', asks: 'write', prints: 'unseen' },
  uuencode: { options: '-m', operands: 'read text', asks: 'program' },
  envsubst: { options: '-v', operands: 'text*', asks: 'secret-variable' },
  yq: {
    options: '-cCejMnNPrsS -i? -o: -p: --inplace --in-place --output-format: --input-format:',
    operands: 'text read*',
    inPlace: ['i', 'inplace', 'in-place'],
    asks: 'program',
  },
  fallocate: { options: '-cdinpvxz -l: -o: --length: --offset:', operands: 'write', asks: 'write' },
  htpasswd: { options: '-cbBmdspinvD5 -C: -r:', operands: 'write text*', asks: 'write' },
  keytool: {
    options: '+single -keystore:write -file:write -destkeystore:write',
    operands: 'text*',
    asks: 'code',
  },
  setfattr: { options: '-h -n: -v: -x: --restore:', operands: 'rights*', asks: 'write' },
  xattr: { options: '-cdlprswx', operands: 'text rights*', asks: 'write' },
  chcon: {
    options: '-R -t: -u: -r: -l: --recursive --reference:look',
    operands: 'text rights*',
    asks: 'write',
  },
  logrotate: { options: '-dfv -s:write -l:write -m:shell', operands: 'read*', asks: 'code' },
  pandoc: { options: '-s -o:write -f: -t: --output:write', operands: 'read*', asks: 'write' },
  gcc: { options: '-c -o:write', operands: 'read*', asks: 'code' },
  sops: { options: '-deir --in-place --decrypt --encrypt --output:write', operands: 'write*', asks: 'write' },
  'ansible-vault': {
    options: '--vault-password-file:read --output:write',
    operands: 'text write*',
    asks: 'write',
  },
  xclip: { options: '-io -f -r -selection', operands: 'read*', asks: 'program' },
  pbcopy: { asks: 'program', operands: 'text*' },
  wall: { asks: 'program', operands: 'read*' },
}
