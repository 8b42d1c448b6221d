/** Expected verdicts of the policy `careful` on commands, by judge. The commands are never run. */

import { GIT_CASES } from './git/judge-cases.js'
import { LANGUAGE_CASES } from './language/judge-cases.js'
import { SYSTEM_CASES } from './system/judge-cases.js'

/** By verdict; `ask` also covers commands that the policy asks about only because they are not proven. */
export interface JudgeCases {
  deny?: readonly string[]
  ask?: readonly string[]
  allow?: readonly string[]
}

const OWN_CASES: Readonly<Record<string, JudgeCases>> = {
  builtin: {
    deny: ['command rm -rf /', 'builtin eval "rm -rf /"', 'exec rm -rf /', 'eval "rm" "-rf" "/"'],
    ask: [
      'trap "echo bye" EXIT',
      'exec ls',
      'source venv/bin/activate',
      'eval ls',
      'export A=1',
      'history',
      'set -x',
      'source .env',
      'set',
    ],
    allow: ['pwd', 'command -v git', 'test -f .env'],
  },
  'read-only-programs': {
    deny: ['sort -o .env a.txt'],
    ask: [
      'cat .env',
      'head -1 .env.local',
      'grep KEY .env',
      'grep -r x . --include=.env',
      'cat ~/.ssh/id_rsa',
      'diff .env .env.example',
      'wc -l .env',
      'cat /etc/hosts',
      'ls /',
      'ls ~',
      'ls ..',
      'cat ../other/a.ts',
      'grep -r x /var/log',
      'cat "$FILE"',
      'cat .e*',
      'rg x --hidden -g .env',
      'stat -f /etc',
      'sort -o out a',
      'sort --output out a',
      'uniq a out',
      'rg --pre x y',
      'tree -o x',
      'xxd -r a b',
      'file -C -m x',
      'tail --retry --follow=name /var/log/x',
      'ls --unknown-option',
      'cat -Q a',
      'diff --unknown a b',
      'type -x ls',
      'which --skip-alias x',
      'od --unknown x',
    ],
    allow: [
      'ls',
      'ls -la src',
      'ls -lah --color=never',
      'cat package.json',
      'cat src/*.ts',
      'head -c 100 a.txt',
      'head -50 a.txt',
      'tail -n +5 a.txt',
      'tail -20 a.txt',
      'wc -l src/a.ts src/b.ts',
      'grep -rn "needle" src',
      'grep -E "a|b" file.txt',
      'grep -il x -r . --include="*.ts"',
      'rg -n "foo bar" src',
      'rg --files -g "*.ts"',
      'cut -d, -f1 a.csv',
      'diff a.txt b.txt',
      'diff -u a.txt b.txt',
      'cmp a b',
      'comm -12 a b',
      'stat package.json',
      'file src/a.ts',
      'du -sh src',
      'df -h',
      'tree -L 2',
      'id',
      'whoami',
      'uname -a',
      'nl a.txt',
      'tac a.txt',
      'od -c a.bin',
      'xxd a.bin',
      'strings a.bin',
      'basename src/a.ts',
      'dirname src/a.ts',
      'realpath src',
      'readlink -f src',
      'seq 1 5',
      'nproc',
      'uptime',
      'which node',
      'type ls',
      'sha256sum a.txt',
      'md5sum a.txt',
      'true',
      'ls -la .env',
      'cat .env.example',
      'cat src/password-form.tsx',
      'cat docs/secrets.md',
      'ls src/{a,b}.ts',
      'cat "my file.txt"',
      "cat 'a b'.txt",
      'ls ./src/../src',
      'cat /home/dev/project/README.md',
      'ls "$PWD"',
    ],
  },
  wrapper: {
    deny: [
      'sudo chown -R dev /',
      'sudo mkfs.vfat -F32 /dev/sdc1',
      'sudo reboot',
      'sudo systemctl halt',
      'sudo rm -rf /',
      'sudo -u root -- rm -rf /',
      'doas rm -rf /',
      'env A=1 rm -rf /',
      'env -i PATH=/bin rm -rf ~',
      'nice -n 10 rm -rf /',
      'ionice -c3 rm -rf /',
      'timeout 10s rm -rf /',
      'timeout -s KILL 5 rm -rf /',
      'setsid rm -rf /',
      'stdbuf -oL rm -rf /',
      'time rm -rf /',
      'watch "rm -rf /"',
      'strace -f rm -rf /',
      'npx -c "rm -rf /"',
      'taskset 1 rm -rf /',
      'unshare -r rm -rf /',
      'entr -s "rm -rf /"',
    ],
    ask: ['sudo ls', 'env'],
    allow: ['timeout 5 ls', 'nice ls', 'time ls'],
  },
  'wrapper-special': {
    deny: [
      'busybox reboot',
      'su -c "rm -rf /"',
      'su root -c "rm -rf /"',
      'busybox rm -rf /',
      'ssh localhost "rm -rf /"',
      'chroot / rm -rf /home',
      'flock x rm -rf /',
      'flock x -c "rm -rf /"',
      'parallel rm -rf ::: /',
      'script -c "rm -rf /" /dev/null',
      'tmux new -d "rm -rf /"',
    ],
    ask: ['make clean', 'ssh host ls', 'psql -c "drop table x"', 'less .env', 'less a', 'man ls'],
  },
  'writing-programs': {
    deny: ['unlink .env', 'touch .env', 'rename s/x/y/ .env'],
    ask: [
      'mkdir -p a/b',
      'touch a.ts',
      'crontab -l',
      'touch src/password-form.tsx',
      'mkdir secrets-tests',
      'tee',
    ],
  },
}

/** By the path of the judge below this folder, without its extension. */
export const JUDGE_CASES: Readonly<Record<string, JudgeCases>> = {
  ...OWN_CASES,
  ...below('git', GIT_CASES),
  ...below('language', LANGUAGE_CASES),
  ...below('system', SYSTEM_CASES),
}

function below(folder: string, cases: Readonly<Record<string, JudgeCases>>): Record<string, JudgeCases> {
  return Object.fromEntries(Object.entries(cases).map(([name, table]) => [`${folder}/${name}`, table]))
}

export function casesWith(verdict: keyof JudgeCases): string[] {
  return Object.values(JUDGE_CASES).flatMap((table) => table[verdict] ?? [])
}
