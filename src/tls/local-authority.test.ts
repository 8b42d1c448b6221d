import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { createTls, readAuthority, readTls, removeTls, renewTls, tlsFiles } from './local-authority.js'

const DAY = 24 * 3_600_000
const NOW = Date.UTC(2026, 10, 15)

async function setup() {
  const home = await temporaryFolder()
  const state = createTls(home, 'box', ['box.local', '192.168.7.10', 'fd12::7'], NOW)
  return {
    home,
    state,
    files: tlsFiles(home),
    leaf: () => new X509Certificate(readFileSync(tlsFiles(home).certificate)),
  }
}

test('keys are for their owner only, and the certificate names this machine', async () => {
  const { state, files, home } = await setup()

  expect(state.hosts).toEqual(['box.local', '192.168.7.10', 'fd12::7', 'localhost', '127.0.0.1', '::1'])
  expect(statSync(files.folder).mode & 0o777).toBe(0o700)
  for (const key of [files.key, files.authorityKey]) expect(statSync(key).mode & 0o777).toBe(0o600)
  const authority = new X509Certificate(readAuthority(home) ?? '')
  expect(authority.fingerprint256).toBe(state.fingerprint)
  expect(authority.subject).toBe('CN=Signalbox on box')
  expect(readAuthority(home)?.toString()).not.toContain('PRIVATE')
})

test('a certificate lives for at most 397 days, and is renewed before it ends under the same authority', async () => {
  const { home, leaf, files } = await setup()
  const first = leaf()
  expect(Date.parse(first.validTo) - Date.parse(first.validFrom)).toBeLessThan(397 * DAY)
  const authority = readAuthority(home)

  expect(renewTls(home, NOW + 300 * DAY)).toBe(false)
  expect(renewTls(home, NOW + 340 * DAY)).toBe(true)

  expect(leaf().serialNumber).not.toBe(first.serialNumber)
  expect(Date.parse(leaf().validTo)).toBeGreaterThan(NOW + 700 * DAY)
  expect(leaf().subjectAltName).toBe(first.subjectAltName)
  expect(leaf().verify(new X509Certificate(authority ?? '').publicKey)).toBe(true)
  expect(readAuthority(home)).toEqual(authority)
  expect(statSync(files.key).mode & 0o777).toBe(0o600)
})

test('without an authority nothing is renewed, and removing leaves nothing', async () => {
  const { home } = await setup()
  expect([removeTls(home), readTls(home), readAuthority(home), removeTls(home), renewTls(home, NOW)]).toEqual(
    [true, null, null, false, false],
  )
})
