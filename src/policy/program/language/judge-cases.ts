/** Expected verdicts on commands of each judge in this folder. The commands are never run. */

import type { JudgeCases } from '../judge-cases.js'

export const LANGUAGE_CASES: Readonly<Record<string, JudgeCases>> = {
  awk: {
    deny: ['awk \'{print > ".env"}\' a.txt'],
    ask: [
      'awk -f script a',
      'awk "BEGIN{system(\\"ls\\")}"',
      'awk \'{print > "out"}\' a',
      'awk \'{print | "sh"}\' a',
    ],
    allow: ["awk '{print $1}' a.txt", "awk -F, 'NR>1 {print $2}' a.csv"],
  },
  editor: {
    deny: ['vim -c wq .env'],
    ask: ['vim README.md', 'nano .env'],
  },
  find: {
    deny: [
      'find . -delete',
      'find . -type f -delete',
      'find ~ -type f -exec rm {} \\;',
      'find . -exec rm -rf {} +',
      'find . -mindepth 1 -delete',
      'find ~ -execdir rm -rf {} +',
      'find / -type d -exec chmod 755 {} \\;',
      'find . -name .env -delete',
      'find . -name ".env*" -exec rm {} +',
      'find . -maxdepth 0 -exec sh -c "rm -rf /" \\;',
    ],
    ask: [
      'find . -name "*.pyc" -delete',
      'find dist -delete',
      'find build -type f -exec rm {} +',
      'find / -name x',
      'find . -fprint out',
      'find . -execdir cat {} +',
    ],
    allow: [
      'find . -name "*.ts" -type f',
      'find src -maxdepth 2 -not -path "*/node_modules/*"',
      'find . -newer a.txt -print',
    ],
  },
  interpreter: {
    deny: ['perl -pi -e s/a/b/ .env', "python3 -c \"open('.env','w').write('x')\""],
    ask: ['python3 script.py', 'node -e "console.log(1)"'],
    allow: ['node --version', 'python3 --version'],
  },
  jq: {
    ask: ['jq env a.json'],
    allow: ['jq .name package.json', 'jq -r ".scripts | keys[]" package.json'],
  },
  pager: {
    ask: ['less README.md'],
  },
  print: {
    ask: ['echo $SECRET_TOKEN', 'echo "${API_KEY}"', 'printf -v x y'],
    allow: ['echo hello', 'echo "rm -rf /"', "echo 'shutdown now'", 'printf "%s\\n" a b'],
  },
  sed: {
    deny: ['sed -i s/a/b/ .env', 'sed -i.bak -e s/a/b/ config/credentials.yml', 'sed -i s/a/b/ /etc/shadow'],
    ask: [
      'sed -i s/a/b/ src/a.ts',
      'sed -i s/a/b/ src/credential.py',
      'sed -n "w out" a',
      'sed "s/a/b/w out" a',
      'sed "1e ls" a',
      'sed -f script a',
    ],
    allow: ['sed -n 1,10p a.txt', 'sed s/a/b/ a.txt', 'sed -n "/start/,/end/p" a.txt'],
  },
  shell: {
    deny: ['sh -c "sleep 5; reboot"', 'bash -c "rm -rf /"', 'sh -ec "cd /; rm -rf *"', 'zsh -c "rm -rf ~"'],
    ask: ['bash script.sh'],
  },
}
