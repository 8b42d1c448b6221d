import { expect, test } from 'vitest'
import { isProtectedFile } from './protected.js'

test.each([
  '.env',
  '.env.local',
  '.env-prod',
  '.env_prod',
  'prod.env',
  'server.key',
  'server.pem',
  '.pypirc',
  '.dockercfg',
  '.vault_pass',
  '.dev.vars',
  'terraform.tfstate',
  'terraform.tfstate.backup',
  'prod.tfvars',
  'prod.auto.tfvars.json',
  'login.ppk',
  'vault.kdbx',
  'AuthKey_1.p8',
  '.bash_history',
  '.zsh_history',
  '.psql_history',
  '.password-store/site.gpg',
  // Backup copies that editors and tools leave behind.
  '.env~',
  '.env.~1~',
  '#.env#',
  '.#.env',
  '..env.swp',
  '.env.swp',
  '.prod.env.swo',
  'prod.env.bak',
  'prod.env.orig',
  'server.pem.old',
  'id_rsa~',
])('%s is protected', (name) => {
  expect(isProtectedFile(`/w/${name}`)).toBe(true)
})

test.each([
  '.env.example',
  '.env-example',
  '.env.example~',
  'env.ts',
  'environment.md',
  'a.txt~',
  '.a.txt.swp',
  '#a#',
  'key.ts',
  'example.tfvars',
  'main.tf',
  'order_history',
  'history.md',
  'dev.vars.ts',
  '~',
  '.#',
])('%s is not', (name) => {
  expect(isProtectedFile(`/w/${name}`)).toBe(false)
})
