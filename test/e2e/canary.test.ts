/**
 * Secrets, each with a mark of its own, are driven through a real daemon and a real CLI by every way in that there is.
 * Afterwards none of them may appear where a reader without the right to see it looks.
 */

import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { type Client, createClient } from '../../src/client/client.js'
import type { InboxRequest } from '../../src/protocol/request.js'
import {
  type DaemonProcess,
  makePlace,
  pendingRequest,
  processesOf,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'

const mark = (name: string) => `canary-${name}-${randomBytes(9).toString('hex')}`

/** Without a form by which they could be recognised, unless the form is what is tested. */
const canaries = {
  'API key in the environment': mark('api'),
  'token in the environment': mark('env-token'),
  'password in the environment': mark('env-password'),
  'value of .env': mark('dotenv'),
  'password in an address of .env': mark('dotenv-url'),
  'value of a secrets file in a folder': mark('nested'),
  'private key': mark('pem'),
  'password in the address of a prompt': mark('prompt-url'),
  'bearer token in a prompt': mark('prompt-bearer'),
  'variable of a session': mark('option-env'),
  'variable of an MCP server': mark('mcp-env'),
  'header of an MCP server': mark('mcp-header'),
  'variable in .mcp.json': mark('mcp-file'),
  'header of a configured server': mark('conf-header'),
  'key in the address of a configured server': mark('conf-url'),
  'key in the arguments of a configured server': mark('conf-args'),
  'key in the address of a server': mark('mcp-url'),
  'what a hook prints': mark('hook'),
  'authorization header in a command': mark('command-bearer'),
  'cookie in a command': mark('command-cookie'),
  'user and password in a command': mark('command-user'),
  'password in the output of a tool': mark('output'),
  'cloud key in the output of a tool': mark('aws'),
  'key in an error of the model': mark('model-error'),
  'token in the words of a denial': mark('denial'),
  'token in an answer': mark('answer'),
  'token that was tried in vain': mark('wrong'),
  'secret in a body that was refused': mark('body'),
}
/**
 * Not recognisable as secrets, so they are not redacted: they must only stay out of argv and other data that
 * every user of the machine can read.
 */
const inArguments = {
  'schema of the output': mark('schema'),
  'setting of the sandbox': mark('sandbox'),
  'rule of a tool': mark('rule'),
}
type AuthorizedInit = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> }
type Found = Record<string, string[]>

function canariesIn(text: string, all: Readonly<Record<string, string>>): string[] {
  return Object.entries(all)
    .filter(([, secret]) => text.includes(secret))
    .map(([name]) => name)
}

/** Data of our processes that every user of the machine can read, collected for as long as they run. */
function watchArguments(home: string, daemon: DaemonProcess): () => string {
  const seen = new Set<string>()
  const look = () => {
    for (const pid of [daemon.pid, ...processesOf(home)]) {
      try {
        seen.add(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '))
      } catch {
        // It has ended meanwhile.
      }
    }
  }
  const timer = setInterval(look, 25)
  onTestFinished(() => clearInterval(timer))
  return () => {
    clearInterval(timer)
    return [...seen].join('\n')
  }
}

const MCP_SERVER = new URL('../support/mcp-server.mjs', import.meta.url).pathname

async function setup() {
  const c = canaries
  const at = await makePlace((cwd) => ({
    rules: [
      {
        when: { user: 'read the settings' },
        reply: [{ tool: 'Read', input: { file_path: join(cwd, '.env') } }],
      },
      {
        when: { user: 'read the nested' },
        reply: [{ tool: 'Bash', input: { command: 'cat config/secrets.json' } }],
      },
      { when: { user: 'read the key' }, reply: [{ tool: 'Bash', input: { command: 'cat id_rsa' } }] },
      { when: { user: 'read the notes' }, reply: [{ tool: 'Bash', input: { command: 'cat notes.txt' } }] },
      {
        when: { user: 'fetch it' },
        reply: [
          {
            tool: 'Bash',
            input: {
              command: `curl -H "Authorization: Bearer ${c['authorization header in a command']}" -H "Cookie: id=${c['cookie in a command']}" -u kim:${c['user and password in a command']} http://127.0.0.1:9/`,
            },
          },
        ],
      },
      { when: { user: 'ask' }, reply: [{ tool: 'AskUserQuestion', input: { questions: [QUESTION] } }] },
      {
        when: { user: 'break' },
        reply: [{ error: 400, message: `api_key=${c['key in an error of the model']} is not valid` }],
      },
      {
        when: { toolResult: '*' },
        reply: [{ thinking: 'Look: {{toolResult}}' }, { text: 'It says: {{toolResult}}' }],
      },
      { reply: [{ text: 'You said: {{user}}' }] },
    ],
  }))
  await mkdir(at.home)
  await mkdir(join(at.cwd, 'config'))
  const pem = `-----BEGIN PRIVATE KEY-----\n${c['private key']}\n-----END PRIVATE KEY-----\n`
  const files: Record<string, string> = {
    '.env': `COLOUR=${c['value of .env']}\nDATABASE_URL=postgres://app:${c['password in an address of .env']}@db/x\n`,
    'config/secrets.json': JSON.stringify({ plain: c['value of a secrets file in a folder'] }, null, 1),
    id_rsa: pem,
    '.mcp.json': JSON.stringify({
      mcpServers: {
        filed: {
          command: process.execPath,
          args: [MCP_SERVER],
          env: { GREETING: c['variable in .mcp.json'] },
        },
      },
    }),
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(at.cwd, name), text)
  const hook = join(at.folder, 'hook.sh')
  await writeFile(hook, `echo "TOKEN=${c['what a hook prints']}" >&2; exit 1\n`)
  await writeFile(
    join(at.home, 'config.jsonc'),
    JSON.stringify({
      hooks: { PreToolUse: [{ matcher: 'Read', hooks: [{ type: 'command', command: `sh ${hook}` }] }] },
      mcpServers: {
        office: {
          type: 'http',
          url: `http://127.0.0.1:9/mcp?key=${c['key in the address of a configured server']}`,
          headers: { 'x-plain': c['header of a configured server'] },
        },
        // It never starts: every user can read the arguments of a process.
        tool: {
          command: '/no/such/program',
          args: ['--api-key', c['key in the arguments of a configured server']],
        },
      },
    }),
  )
  Object.assign(at.env, {
    ANTHROPIC_API_KEY: c['API key in the environment'],
    SOME_SERVICE_TOKEN: c['token in the environment'],
    DB_PASSWORD: c['password in the environment'],
  })
  return at
}

const QUESTION = {
  question: 'Which token?',
  header: 'Token',
  multiSelect: false,
  options: [
    { label: 'Old', description: 'the old one' },
    { label: 'New', description: 'the new one' },
  ],
}

test('25 secrets and more go through; none is found where it does not belong', {
  timeout: 180_000,
}, async () => {
  const at = await setup()
  const daemon = await startDaemonProcess(at)
  const args = watchArguments(at.home, daemon)
  const { client: admin } = daemon
  const { secret: minted } = await admin.createToken({ body: { name: 'kim', role: 'operator' } })
  const { secret: watching } = await admin.createToken({ body: { name: 'lee', role: 'viewer' } })
  const { code } = await admin.createLoginCode({ body: {} })
  const cookie = await logIn(daemon.url, (await admin.createLoginCode({ body: {} })).code)
  const all = {
    ...canaries,
    'token of the home': daemon.token,
    'token that was made': minted,
    'one-time code': code,
    'browser cookie': cookie,
  }
  const operator = createClient({ url: daemon.url, token: minted })
  const viewer = createClient({ url: daemon.url, token: watching })
  const streams = followAsViewer(daemon.url, viewer, watching)

  const servers = await drive(admin, operator, at.cwd, all)
  const errors = await collectErrors(daemon.url, minted, all)

  const visible = { streams: await streams.text(), pages: await readEverything(viewer) }
  const places: Record<string, string> = {
    'the log of the daemon': daemon.stderr(),
    'the log of the SDK': readFolder(join(at.home, 'logs')),
    'the audit': JSON.stringify((await admin.listAudit({ query: { limit: 1_000 } })).records),
    'the streams of who may only look': visible.streams,
    'the pages of who may only look': visible.pages,
    errors: errors,
    'arguments of processes': args(),
    'what operators are told about servers': servers,
  }
  const found: Found = Object.fromEntries(
    Object.entries(places).map(([place, text]) => [place, canariesIn(text, all)]),
  )
  expect(found).toEqual(Object.fromEntries(Object.keys(places).map((place) => [place, []])))
  expect(canariesIn(places['arguments of processes'] ?? '', inArguments)).toEqual([])

  // They were really there, and every place was really looked at.
  const meant = await readEverything(operator)
  const elsewhere = ['token that was tried in vain', 'secret in a body that was refused']
  const handedOver = [
    'header of an MCP server',
    'variable of an MCP server',
    'variable in .mcp.json',
    'variable of a session',
    'header of a configured server',
    'key in the address of a configured server',
    'key in the arguments of a configured server',
    'key in the address of a server',
  ]
  const through = canariesIn(meant, all)
  expect(Object.keys(all).filter((name) => !through.includes(name) && !handedOver.includes(name))).toEqual(
    elsewhere,
  )
  expect(Object.keys(all).length).toBeGreaterThanOrEqual(25)
  for (const [place, text] of Object.entries(places)) {
    if (place !== 'the log of the daemon') expect([place, text.length > 500]).toEqual([place, true])
  }
  for (const place of [
    'the log of the SDK',
    'the pages of who may only look',
    'the streams of who may only look',
  ])
    expect([place, places[place]?.includes('[redacted]')]).toEqual([place, true])
  await daemon.stop()
  expect(canariesIn(daemon.stderr(), all)).toEqual([])

  // In another run of the daemon they are as secret as before. Codes and cookies are known to the browser alone by now.
  const again = await startDaemonProcess(at)
  const { 'one-time code': _, 'browser cookie': __, ...lasting } = all
  const later = await readEverything(createClient({ url: again.url, token: watching }))
  expect(canariesIn(later, lasting)).toEqual([])
  expect(later).toContain('[redacted]')
  await again.stop()
})

/** Every session and every answer that carries one of them. */
async function drive(
  admin: Client,
  operator: Client,
  cwd: string,
  all: typeof canaries & Record<string, string>,
): Promise<string> {
  await admin.trustWorkspace({ body: { path: cwd } })
  // Secrets that an agent may come across in a file, however they got there.
  await writeFile(
    join(cwd, 'notes.txt'),
    [
      all['API key in the environment'],
      all['token in the environment'],
      all['password in the environment'],
      all['token of the home'],
      all['token that was made'],
      all['one-time code'],
      all['browser cookie'],
      `password: ${all['password in the output of a tool']}`,
      `AWS_SECRET_ACCESS_KEY=${all['cloud key in the output of a tool']}`,
    ].join('\n'),
  )
  const options = {
    env: { PLAIN: all['variable of a session'] },
    mcpServers: {
      own: {
        command: process.execPath,
        args: [MCP_SERVER],
        env: { PLAIN: all['variable of an MCP server'] },
      },
      far: {
        type: 'http' as const,
        url: `http://127.0.0.1:9/?k=${all['key in the address of a server']}`,
        headers: { 'x-plain': all['header of an MCP server'] },
      },
    },
    configuredServers: ['office', 'tool'],
    outputFormat: {
      type: 'json_schema' as const,
      schema: { type: 'object', description: inArguments['schema of the output'] },
    },
    sandbox: { enabled: false, network: { note: inArguments['setting of the sandbox'] } },
    disallowedTools: [`Bash(curl ${inArguments['rule of a tool']}:*)`],
  }
  const { session } = await admin.createSession({
    body: {
      cwd,
      options,
      prompt: `Clone https://kim:${all['password in the address of a prompt']}@git.example/x with "Bearer ${all['bearer token in a prompt']}"`,
    },
  })
  const params = { id: session.id }
  let turns = 1
  const settled = () => sessionWhen(operator, session.id, (now) => now.turns === turns && now.turn === null)
  const say = async (
    text: string,
    answer?: (request: InboxRequest) => Parameters<Client['answerRequest']>[0]['body'],
  ) => {
    await operator.sendMessage({ params, body: { text } })
    turns += 1
    if (answer) {
      const request = await pendingRequest(operator, session.id)
      await operator.answerRequest({ params: { id: request.id }, body: answer(request) })
    }
    await settled()
  }
  await settled()
  await say('read the settings', () => ({ decision: 'allow' }))
  await say('read the nested', () => ({ decision: 'allow' }))
  await say('read the key', () => ({ decision: 'allow' }))
  await say('read the notes')
  await say('fetch it', () => ({
    decision: 'deny',
    message: `Not with token=${all['token in the words of a denial']}`,
  }))
  await say('ask', () => ({ answers: { 'Which token?': `token: ${all['token in an answer']}` } }))
  await say('break')
  const servers = await operator.inspectSession({ params: { ...params, what: 'mcp' } })
  await admin.forkSession({ params, body: {} })
  return JSON.stringify(servers)
}

async function logIn(url: string, code: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ code }),
  })
  return /=([^;]+);/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? ''
}

/** Error replies to requests that misuse a secret. */
async function collectErrors(url: string, token: string, all: Record<string, string>): Promise<string> {
  const refused = all['secret in a body that was refused'] ?? ''
  const wrong = all['token that was tried in vain'] ?? ''
  const ask = async (path: string, { headers = {}, ...init }: AuthorizedInit = {}) => {
    const response = await fetch(`${url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    })
    const told = JSON.stringify([...response.headers])
    return `${response.status} ${told} ${await response.text()}`
  }
  const post = (path: string, body: unknown) => ask(path, { method: 'POST', body: JSON.stringify(body) })
  const environment = all['API key in the environment'] ?? ''
  const answers = await Promise.all([
    ask('/api/v1/about', { headers: { authorization: `Bearer ${wrong}` } }),
    ask('/api/v1/about', { headers: { authorization: '', cookie: `signalbox=${wrong}` } }),
    ask(`/api/v1/sessions?token=${wrong}`),
    ask(`/api/v1/nothing/password=${wrong}`),
    ask(`/api/v1/nothing/${environment}`),
    post('/api/v1/login', { token: wrong }),
    post('/api/v1/login', { code: wrong }),
    post('/api/v1/sessions', { cwd: `/no/such/password=${refused}` }),
    post('/api/v1/sessions', { cwd: `/no/such/${environment}` }),
    post('/api/v1/sessions', { cwd: '/', agent: `secret=${refused}` }),
    post('/api/v1/sessions', { cwd: '/', options: { env: { A: 7 }, colour: refused } }),
    post('/api/v1/sessions', { cwd: 7, prompt: refused }),
    ask('/api/v1/sessions', { method: 'POST', body: `{"cwd":"${refused}` }),
    post('/api/v1/tokens', { name: 'x', role: refused }),
    post('/api/v1/policy/evaluate', { tool: 'Bash', input: { command: `token=${refused}` } }),
  ])
  return answers.join('\n')
}

/** Everything that a client can read page by page. */
async function readEverything(client: Client): Promise<string> {
  const { sessions } = await client.listSessions({ query: { limit: 1_000 } })
  const { requests } = await client.listRequests({ query: { limit: 1_000 } })
  const read: unknown[] = [sessions, requests, await client.about(), await client.getPolicy()]
  for (const { id } of sessions) {
    const params = { id }
    read.push(await client.getSession({ params }))
    read.push(await client.listEvents({ params, query: { limit: 1_000 } }))
  }
  for (const { id, kind } of requests) {
    read.push(await client.getRequest({ params: { id } }))
    if (kind === 'permission') read.push(await client.explainRequest({ params: { id } }))
  }
  for (const q of ['canary', 'clone', 'says', 'password', 'secrets'])
    read.push(await client.search({ query: { q, limit: 1_000 } }))
  read.push(await client.usage({ query: { by: 'session' } }), await client.metrics())
  return JSON.stringify(read)
}

/** Over server-sent events, in both dialects, and over a WebSocket: from the first moment, fragments included. */
function followAsViewer(url: string, viewer: Client, token: string): { text(): Promise<string> } {
  const leave = new AbortController()
  let seen = ''
  const ends: Promise<void>[] = []
  const follow = async () => {
    for await (const { event } of viewer.events({ after: 0, signal: leave.signal }))
      seen += JSON.stringify(event)
  }
  ends.push(follow())
  const authorization = `Bearer ${token}`
  for (const dialect of ['manager', 'unified'])
    ends.push(
      fetch(`${url}/api/v1/stream?after=0&dialect=${dialect}`, {
        headers: { authorization },
        signal: leave.signal,
      })
        .then(async (response) => {
          for await (const chunk of response.body ?? []) seen += Buffer.from(chunk).toString()
        })
        .catch(() => {}),
    )
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/ws`, { headers: { authorization } })
  socket.on('open', () => socket.send(JSON.stringify({ type: 'subscribe', sessions: ['*'], after: 0 })))
  socket.on('message', (data: Buffer) => {
    seen += data.toString()
  })
  return {
    async text() {
      leave.abort()
      socket.terminate()
      await Promise.all(ends)
      return seen
    },
  }
}

function readFolder(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
}
