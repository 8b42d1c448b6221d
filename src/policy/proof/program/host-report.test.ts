/** Reports on the network and the processes of the machine: the spellings that are accepted, and their neighbours. */

import { expect, test } from 'vitest'
import { bashCall } from '../../../../test/support/bash-call.js'
import { evaluate } from '../../evaluate.js'
import { createCallEnvironment } from '../../file/call-environment.js'
import { emptyFileSystem } from '../../file/file-system.js'
import { prove } from '../prove.js'

const environment = createCallEnvironment({
  cwd: '/home/dev/project',
  home: '/home/dev',
  fs: emptyFileSystem,
})

test.each([
  'lsof -nP -iTCP:3000 -sTCP:LISTEN',
  'lsof -ti:3000',
  'lsof -i -P -n',
  'lsof -n -i tcp:3000,3001 -s TCP:LISTEN,ESTABLISHED',
  'lsof -nP -p 12,34 -a -i4',
  'lsof -n -c node -u dev',
  "ss -ltnp 'sport = :3000'",
  'ss -tn state established',
  'ss -tn sport = :80 or dport = :443',
  'ip a',
  'ip -br -4 addr show eth0',
  'ip route get 10.0.0.1',
  'gzip -l a.txt',
])('accepted: %s', (command) => {
  const fs = { ...emptyFileSystem, list: () => ['a.txt'] }
  expect(evaluate({ ...bashCall(command), fs })).toMatchObject({ verdict: 'allow', rule: 'read-only' })
})

test.each([
  'lsof -i :3000',
  'lsof -iTCP -sTCP:LISTEN',
  'lsof -n -i @example.com',
  'lsof -n -i@example.com:80',
  'lsof -n -i tcp@example.com',
  'lsof -n -i TCP:http',
  'lsof -t -c node',
  'lsof -t',
  'lsof -n -D b',
  'lsof -n -Db/tmp/x',
  'lsof -nD b',
  'lsof -n +D /etc',
  'lsof -n +D src',
  'lsof -n +r',
  'lsof -n -p',
  'lsof -n -s',
  'lsof -n -',
  'lsof -n --',
  'lsof -n -S 2 -O',
  'lsof -n ..',
  'lsof -n /etc',
  'lsof -n -F$x',
  'ss -K dport = :80',
  'ss -D file',
  'ss -F file',
  'ss dst example.com',
  'ss -r',
  'ss -tn sport = :http',
  'ss -N x',
  'ip a a 10.0.0.2 dev lo',
  'ip a d 10.0.0.2 dev lo',
  'ip addr flush dev lo',
  'ip l s lo down',
  'ip link set lo down',
  'ip netns exec x ls',
  'ip -n x a',
  'ip -b x',
  'ip -batch x',
  'ip -force a',
  'ip route add default via 10.0.0.1',
  'ip route save',
  'ip monitor',
  "ip 'addr show'",
  'ip addr show -batch',
  'ip vrf exec x ls',
  'top -bn1',
  'gzip a.txt',
  'gzip -d a.txt',
  'gzip -lk a.txt',
  'gzip -l missing',
  'vmstat 1 2 3',
  'vmstat -p /dev/sda',
  'who /etc/passwd',
  'who --lookup',
  'lsblk /dev/sda',
  'pstree -H 1',
  'w --ip-addr',
])('refused: %s', (command) => {
  expect(prove(command, environment).isProven).toBe(false)
  expect(evaluate(bashCall(command)).verdict).not.toBe('allow')
})
