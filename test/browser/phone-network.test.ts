/** A phone on a network, as a new user sets it up: certificate, pairing, install, notification, answer. */

import { execFile } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { connect } from '../../src/cli/connect.js'
import { chromiumPath, openBrowser } from '../support/browser.js'
import { MAIN, makePlace, startDaemonProcess } from '../support/daemon-process.js'
import { makePhoneNetwork, problemWithNamespaces } from '../support/phone-network.js'

const run = promisify(execFile)
const problem = chromiumPath === null ? 'needs Chromium' : problemWithNamespaces()

/** As the app and the server of ntfy: publishes to those with the token, and shows what arrives. */
const NTFY = `require('http').createServer((request, response) => {
  const isKnown = request.headers.authorization === 'Bearer tk_phone'
  let body = ''
  request.on('data', (piece) => { body += piece }).on('end', () => {
    response.writeHead(isKnown ? 200 : 403, { 'content-type': 'application/json' }).end('{"id":"m1"}')
    if (isKnown && request.method === 'POST') console.log(JSON.stringify(JSON.parse(body)))
  })
}).listen(0, process.argv[1], function () { console.log(this.address().port) })`

/** Without a check: the certificate of the authority is what is to be trusted. */
const DOWNLOAD = `require('https').get(process.argv[1], { rejectUnauthorized: false }, (response) => response.pipe(process.stdout))`

/** A press on a button, with the authority that the phone trusts. */
const PRESS = `const { url, ...request } = JSON.parse(process.argv[1])
fetch(url, request).then(async (reply) => console.log(reply.status, await reply.text()))`

interface Published {
  click: string
  message: string
  actions: { action: string; label: string; url: string; method: string; headers: object; body: string }[]
}

test.skipIf(problem !== null)(
  `a phone on the network is paired, installs the page, is notified and answers${problem === null ? '' : ` (${problem})`}`,
  async () => {
    const network = makePhoneNetwork()
    const place = await makePlace((cwd) => ({
      rules: ['one', 'two'].map((name) => ({
        when: { user: name },
        reply: [{ tool: 'Write', input: { file_path: join(cwd, `${name}.txt`), content: name } }],
      })),
    }))
    const at = (name: string) => join(place.folder, name)
    mkdirSync(place.home, { mode: 0o700 })
    const notifications = {
      afterMs: 0,
      batchMs: 0,
      presenceMs: 0,
      deskMs: 0,
      privateAddresses: [network.phone],
    }
    writeFileSync(join(place.home, 'config.jsonc'), JSON.stringify({ notifications }), { mode: 0o600 })
    const signalbox = async (...args: string[]) => {
      const { stdout } = await run(process.execPath, [MAIN, ...args, '--home', place.home], place)
      return stdout
    }
    const tls = JSON.parse(await signalbox('tls', 'init', '--name', network.here, '--json'))
    await startDaemonProcess(place)
    const pairing = JSON.parse(await signalbox('phone', '--json')) as { url: string; role: string }
    const origin = new URL(pairing.url).origin
    expect([new URL(pairing.url).hostname, pairing.role]).toEqual([network.here, 'operator'])

    // The authority that the phone downloads is the one whose fingerprint was printed, and no key comes with it.
    const authority = await network.node(DOWNLOAD, [`${origin}/signalbox-ca.crt`])
    writeFileSync(at('ca.crt'), authority)
    expect(new X509Certificate(authority).fingerprint256).toBe(tls.fingerprint)
    expect(authority).not.toContain('PRIVATE KEY')

    const key = new X509Certificate(readFileSync(join(place.home, 'tls/cert.pem'))).publicKey
    const digest = createHash('sha256').update(key.export({ type: 'spki', format: 'der' }))
    const { newPage } = await openBrowser({
      executablePath: network.program(place.folder, chromiumPath ?? ''),
      // Chromium has no settings of a phone in which an authority can be trusted. Node checks it with that authority.
      args: [`--ignore-certificate-errors-spki-list=${digest.digest('base64')}`],
    })
    const page = await newPage({ viewport: { width: 390, height: 844 }, hasTouch: true })
    await page.goto(pairing.url)
    await page.getByText('with the role Operator').waitFor()
    await page.getByRole('button', { name: 'Pair', exact: true }).click()
    const client = connect(place.home)
    await expect
      .poll(async () => (await client.listTokens()).tokens)
      .toMatchObject([{ role: 'operator', kind: 'browser' }])
    const devTools = await page.context().newCDPSession(page)
    // Pages of a test are incognito: nothing else speaks against installing it.
    await expect
      .poll(async () => (await devTools.send('Page.getInstallabilityErrors')).installabilityErrors)
      .toMatchObject([{ errorId: 'in-incognito' }])
    const again = await newPage()
    await again.goto(pairing.url)
    await again.getByText(/used|expired/).waitFor()

    const app = network.serve(NTFY, [network.phone])
    const url = `http://${network.phone}:${await app.nextLine()}`
    const channel = ['--kind', 'ntfy', '--url', url, '--topic', 'agents', '--token-file', at('token')]
    writeFileSync(at('token'), 'tk_phone')
    await signalbox('channels', 'add', 'phone', ...channel, '--may', 'answer')
    const ask = async (prompt: string) => {
      const { session } = await client.createSession({ body: { cwd: place.cwd, prompt } })
      return { sessionId: session.id, message: JSON.parse(await app.nextLine()) as Published }
    }

    const { message } = await ask('one')
    expect(message.message).toContain('one.txt')
    const allow = message.actions.find(({ label }) => label === 'Allow')
    const pressed = await network.node(PRESS, [JSON.stringify(allow)], { NODE_EXTRA_CA_CERTS: at('ca.crt') })
    expect(pressed).toMatch(/^200 /)
    await expect.poll(() => existsSync(join(place.cwd, 'one.txt'))).toBe(true)

    const second = await ask('two')
    const guest = await newPage()
    await guest.goto(second.message.click)
    await guest.getByText('You answer as admin').waitFor()
    await guest.getByRole('button', { name: 'Deny' }).click()
    await expect
      .poll(async () => (await client.getSession({ params: { id: second.sessionId } })).session.turn)
      .toBeNull()
    expect(existsSync(join(place.cwd, 'two.txt'))).toBe(false)
  },
)
