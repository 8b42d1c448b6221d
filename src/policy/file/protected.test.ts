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
  // Copies that editors and tools leave beside them.
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
  '~',
  '.#',
])('%s is not', (name) => {
  expect(isProtectedFile(`/w/${name}`)).toBe(false)
})
