import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findCommand } from '../../../test/support/find-command.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { createAuthority, createKeyPair, createLeaf } from './certificate.js'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const HOSTS = ['box.local', 'localhost', '192.168.7.10', '127.0.0.1', 'fd12::7', '::1']
const validity = { from: Date.now() - HOUR, to: Date.now() + 397 * DAY }

function setup(hosts: readonly string[] = HOSTS) {
  const authority = createAuthority('Signalbox on box', HOSTS, {
    from: validity.from,
    to: Date.now() + 3_650 * DAY,
  })
  const keys = createKeyPair()
  const leaf = createLeaf(authority, { name: 'box.local', hosts, publicKey: keys.publicKey, validity })
  return { authority, keys, leaf }
}

test('a leaf names all hosts, is signed by the authority, and is no authority itself', () => {
  const { authority, leaf, keys } = setup()
  const [root, cert] = [new X509Certificate(authority.certificate), new X509Certificate(leaf)]

  expect([root.ca, cert.ca]).toEqual([true, false])
  expect(cert.verify(root.publicKey)).toBe(true)
  expect(cert.checkIssued(root)).toBe(true)
  expect(cert.checkPrivateKey(keys.privateKey)).toBe(true)
  for (const host of ['box.local', 'localhost']) expect(cert.checkHost(host)).toBe(host)
  for (const address of ['192.168.7.10', '127.0.0.1', 'fd12::7', '::1'])
    expect(cert.checkIP(address)).toBe(address)
  expect(cert.checkHost('evil.example')).toBeUndefined()
  expect(Date.parse(cert.validTo) - Date.parse(cert.validFrom)).toBeLessThanOrEqual(398 * DAY)
})

test('a TLS client that trusts the authority accepts the server, and refuses it under another name', async () => {
  const { authority, keys, leaf } = setup()
  const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' })
  const server = createServer({ key, cert: leaf }, (_, response) => response.end('hello'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const ask = (servername: string) =>
    new Promise<string>((resolve, reject) => {
      const options = { host: '127.0.0.1', port, servername, ca: authority.certificate, agent: false }
      request(options, (response) => response.on('data', (chunk) => resolve(String(chunk))))
        .on('error', reject)
        .end()
    })

  expect(await ask('box.local')).toBe('hello')
  await expect(ask('evil.example')).rejects.toThrow(/does not match/)
})

const openssl = findCommand('openssl')

test.skipIf(openssl === null)(
  'the constraints are critical, and forbid certificates for anything else',
  async () => {
    const folder = await temporaryFolder()
    const verify = async (hosts: readonly string[]) => {
      const { authority, leaf } = setup(hosts)
      await writeFile(join(folder, 'ca.pem'), authority.certificate)
      await writeFile(join(folder, 'leaf.pem'), leaf)
      const run = (...args: string[]) => spawnSync(openssl ?? '', args, { cwd: folder, encoding: 'utf8' })
      const text = run('x509', '-in', 'ca.pem', '-noout', '-text').stdout
      const { status, stderr } = run(
        'verify',
        '-x509_strict',
        '-purpose',
        'sslserver',
        '-CAfile',
        'ca.pem',
        'leaf.pem',
      )
      return { text, isValid: status === 0, stderr }
    }

    const { text, isValid, stderr } = await verify(HOSTS)
    expect({ isValid, stderr }).toEqual({ isValid: true, stderr: '' })
    expect(text).toMatch(/X509v3 Name Constraints: critical/)
    expect(text).toMatch(/X509v3 Basic Constraints: critical\s+CA:TRUE, pathlen:0/)
    for (const host of ['evil.example', '192.168.7.11', '8.8.8.8', 'fd12::8', 'local'])
      expect({ host, isValid: (await verify([host])).isValid }).toEqual({ host, isValid: false })
  },
)
