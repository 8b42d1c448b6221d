/** Programs that report facts about the machine and its users, or only compute a value. */

import type { Spec } from './spec.js'

export const HELP = '--help --version'

export const MACHINE_PROGRAMS: Readonly<Record<string, Spec>> = {
  id: {
    options: `-agGnruzZ --context --group --groups --name --real --user --zero ${HELP}`,
    operands: 'text*',
  },
  whoami: { options: HELP, operands: '' },
  lsof: { options: '-nPtaRwl -i? -F? -p: -c: -u: -s:', operands: 'look*' },
  bc: { options: '-lqsw --mathlib --quiet --standard --warn', operands: 'read*' },
  help: { options: '-dms', operands: 'text*' },
  vmstat: { options: '-adDmnstw', operands: 'text text' },
  who: { options: `-abdHlmpqrstTuw --all --boot --count --heading --users ${HELP}`, operands: 'ask*' },
  w: { options: '-hufiosV --no-header --short --from --help --version', operands: 'text*' },
  users: { options: HELP, operands: '' },
  groups: { options: HELP, operands: 'text*' },
  logname: { options: HELP, operands: '' },
  tty: { options: `-s --quiet --silent ${HELP}`, operands: '' },
  hostname: {
    options: '-aAdfiIsyV --alias --all-fqdns --domain --fqdn --long --ip-address --short --help',
    operands: '',
  },
  uname: {
    options: `-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor
      --hardware-platform --operating-system ${HELP}`,
    operands: '',
  },
  arch: { options: HELP, operands: '' },
  nproc: { options: `--all --ignore: ${HELP}`, operands: '' },
  uptime: { options: '-phsV --pretty --help --since --version', operands: '' },
  free: {
    options:
      '-bkmghlthwvV -s: -c: --bytes --kibi --mebi --gibi --kilo --mega --giga --human --lohi --total --wide',
    operands: '',
  },
  lscpu: {
    options: '-abceJpysVxh --all --online --offline --json --parse? --extended? --help --version',
    operands: '',
  },
  lsblk: {
    options: `-aAbdDfJlmMnNOpPrsStTzVh -e: -E: -I: -x: -o: --all --bytes --nodeps --fs --json --list --output: --output-all
      --paths --pairs --raw --tree? --topology --help --version`,
    operands: 'look*',
  },
  last: { options: '+number -adFiRwx -n: -s: -t: -p: --limit: --help --version', operands: 'text*' },
  locale: {
    options: '-akcm -v --all-locales --charmaps --category-name --keyword-name --verbose --help --version',
    operands: 'text*',
  },
  getconf: { options: '-a', operands: 'text text' },
  cal: { options: '+number -13jmsywY -A: -B: -n: --help --version', operands: 'text*' },
  seq: { options: `+number -f: -s: -w --format: --separator: --equal-width ${HELP}`, operands: 'text*' },
  factor: { options: `-h --exponents ${HELP}`, operands: 'text*' },
  expr: { options: '', operands: 'text*' },
  sleep: { options: HELP, operands: 'text*' },
  true: { operands: 'text*' },
  false: { operands: 'text*' },
  ':': { operands: 'text*' },
  which: { options: '-as --all --help --version -v -V', operands: 'text*', prints: 'facts' },
  whereis: { options: '-bmsul', operands: 'text*', prints: 'facts' },
  type: { options: '-afptP', operands: 'text*', prints: 'facts' },
  pgrep: {
    options: `-acflLinovwxA -d: -g: -G: -P: -s: -t: -u: -U: -F:read -r: --list-name --list-full --full --exact
      --newest --oldest --count --ignore-case --parent: --euid: --uid: --help --version`,
    operands: 'text*',
  },
}
