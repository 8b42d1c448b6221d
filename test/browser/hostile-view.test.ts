/** Every view, with replies in which each text is hostile: what is shown is text. */

import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { chromiumPath, openBrowser } from '../support/browser.js'
import { ids, permissionRequested, sessionCreated, turnStarted } from '../support/build.js'
import { HOSTILE, watch } from '../support/hostile.js'
import { createServedRuntime } from '../support/served-runtime.js'

const WEB = fileURLToPath(new URL('../../dist/web/', import.meta.url))
const AT = '2026-11-16T12:00:00.000Z'

/** A sample in which every text that is not of a known list is a hostile one, another in each row. */
function poisoned<Sample>(sample: Sample, fixed: Partial<Sample>, row: number): Sample {
  let place = row
  const poison = (value: unknown): unknown => {
    if (value === '?') return HOSTILE[place++ % HOSTILE.length]
    if (Array.isArray(value)) return value.map(poison)
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, poison(inner)]))
    return value
  }
  // The shape of the sample is kept.
  return { ...(poison(sample) as Sample), ...fixed }
}

const rows = <Sample>(sample: Sample, fixed: (row: number) => Partial<Sample> = () => ({})) =>
  HOSTILE.map((_, row) => poisoned(sample, fixed(row), row))

const part = { text: '?', start: 0, end: 3 }
const verdict = { verdict: 'ask', rule: '?', reason: '?', step: 'default', part }
const usageRow = {
  key: '?',
  inputTokens: 1,
  outputTokens: 1,
  cacheReadInputTokens: 1,
  cacheCreationInputTokens: 1,
  costUsd: 0.01,
  sessions: 1,
  sources: ['sdk'],
  unpriced: ['?'],
}
const explanation = {
  verdict,
  findings: [{ verdict: 'ask', rule: '?', reason: '?', part }],
  commands: [
    ['?', '?'],
    ['?', '?'],
  ],
  files: [{ access: '?', path: '?' }],
  grant: { tool: '?', command: '?' },
}
const terminal = {
  id: null,
  sessionId: '?',
  provider: 'claude',
  state: 'active',
  activityPhase: 'waiting_permission',
  projectPath: '?',
  cwd: '?',
  title: '?',
  permissionMode: '?',
  entrypoint: '?',
  startedAt: AT,
  lastActivityAt: AT,
  endedAt: null,
  endReason: '?',
  lastUserMessage: '?',
  isInTurn: true,
  lastOutcome: null,
  waitingFor: { toolName: '?', agentId: null, since: AT },
  currentSkill: { skillName: '?' },
  skills: [],
  agents: [],
  model: '?',
  tokens: { input: 1, output: 1, cached: 1, cacheCreation: 1 },
  models: null,
  contextTokens: 1,
  turnCount: 1,
  gitBranch: '?',
  subagents: [],
  transcriptPath: '?',
  pid: 1,
  pidSpace: null,
  cpuPercent: 1,
  memMb: 1,
}
const skill = {
  id: '?',
  sessionId: '?',
  skillName: '?',
  triggerCommand: '?',
  targetDocPath: '?',
  startedBy: 'model',
  state: 'completed',
  startedAt: AT,
  completedAt: AT,
  outcome: 'completed',
  durationMs: 1,
}
const record = {
  number: 1,
  hash: '?',
  at: AT,
  kind: 'call.judged',
  who: '?',
  via: '?',
  by: '?',
  subject: '?',
  verdict: '?',
  rule: '?',
  reason: '?',
  sessionId: null,
  requestId: null,
  toolUseId: null,
  digest: null,
  changedDigest: null,
  mode: null,
  latencyMs: 1,
}
const tool = {
  id: '?',
  agentName: '?',
  description: '?',
  input: { type: '?', properties: { '<img src=x onerror=pwned()>': { description: '?' } } },
  annotations: { title: '?' },
  timeoutMs: 1,
  source: '?',
}
const hooks = {
  installations: [
    { way: 'settings', scope: 'user', path: '?', installedAt: AT, remote: true, missing: ['?'] },
  ],
  hook: { path: '?', target: '?', works: false },
  stream: { path: '?', bytes: 1, last: { eventType: '?', phase: '?', occurredAtIso: AT, sessionId: '?' } },
  fires: true,
  switchedOffBy: ['?'],
  older: [{ scope: 'user', path: '?', hooks: ['?'] }],
  broken: [{ path: '?', problem: '?' }],
}
const form = {
  server: '?',
  message: '?',
  schema: {
    type: 'object',
    required: ['one'],
    properties: {
      one: { type: 'string', title: '?', description: '?' },
      two: { type: 'string', title: '?', enum: ['?', '?'] },
      three: { type: 'array', title: '?', items: { type: 'string', enum: ['?', '?'] } },
      four: { type: 'boolean', title: '?', description: '?' },
    },
  },
}
const request = {
  id: '',
  sessionId: '',
  kind: 'question',
  state: 'pending',
  requestedAt: AT,
  toolUseId: null,
  toolName: '?',
  input: {},
  inputDigest: '',
  agentId: null,
  title: '?',
  reason: '?',
  suggestions: [],
  questions: [],
  plan: null,
  form,
  expiresAt: null,
  isParked: false,
  resolution: null,
}

const channel = {
  name: '?',
  kind: 'webhook',
  source: 'admin',
  user: '?',
  may: 'see',
  target: '?',
  isPaused: false,
  health: 'dead',
  error: '?',
  lastDeliveredAt: AT,
  lastFailedAt: AT,
  pending: 1,
}
const notification = {
  id: '?',
  channel: '?',
  user: '?',
  state: 'failed',
  isReminder: true,
  subjects: [{ kind: 'failed', sessionId: '?', requestId: null, severity: null }],
  createdAt: AT,
  at: AT,
  attempts: 1,
  nextTryAt: null,
  error: '?',
  receipt: '?',
}

/** The reply of each address, in place of the daemon's. */
function replies(sessionId: string): Record<string, unknown> {
  const rule = {
    name: '?',
    verdict: 'allow',
    reason: '?',
    when: { tools: ['?'], commands: ['?'], paths: ['?'] },
  }
  const change = {
    sessionId,
    toolUseId: '?',
    at: AT,
    tool: '?',
    title: '?',
    before: verdict,
    after: verdict,
    outcome: '?',
  }
  const counts = { allow: 1, deny: 1, ask: 1 }
  return {
    '/search': {
      results: rows({ sessionId, title: '?', cwd: '?', seq: 1, at: AT, type: '?', snippet: '?' }, (row) => ({
        seq: row,
      })),
      nextCursor: null,
    },
    '/usage': { by: 'model', usage: rows(usageRow), total: usageRow, billing: 'subscription' },
    '/policy': {
      policy: { preset: 'careful', denyFirst: false, rules: rows(rule) },
      path: HOSTILE[1],
      always: rows(rule),
    },
    '/policy/evaluate': poisoned(explanation, {}, 3),
    '/policy/backtest': {
      backtest: {
        since: AT,
        calls: 200,
        isTruncated: true,
        before: counts,
        after: counts,
        changes: rows(change),
      },
    },
    '/tools': { tools: rows(tool), nextCursor: null },
    '/audit': { records: rows(record, (row) => ({ number: row + 1 })), nextCursor: null },
    '/lifecycle/sessions': {
      sessions: rows(terminal, (row) => ({ sessionId: `t${row}` })),
      nextCursor: null,
    },
    '/lifecycle/skills': { skills: rows(skill, (row) => ({ id: `s${row}` })), nextCursor: null },
    '/lifecycle/hooks': { hooks: poisoned(hooks, {}, 0) },
    '/workspaces': { workspaces: rows({ path: '?', trustedAt: AT, trustedBy: '?' }) },
    '/tokens': {
      tokens: rows(
        {
          id: '?',
          name: '?',
          role: 'viewer',
          kind: 'token',
          createdAt: AT,
          expiresAt: null,
          user: '?',
          device: '?',
        },
        (row) => ({ id: `tok_${row}` }),
      ),
    },
    '/users': {
      users: rows({ name: '?', may: 'see', quiet: null, source: 'admin', createdAt: AT }),
      nextCursor: null,
    },
    '/channels': { channels: rows(channel), nextCursor: null },
    '/notifications': {
      notifications: rows(notification, (row) => ({ id: `ntf_${row}` })),
      nextCursor: null,
    },
    '/requests': {
      requests: HOSTILE.slice(0, 60).map((_, row) =>
        poisoned(request, { id: `que_${row}`, sessionId, form: poisoned(form, {}, row * 3) }, row),
      ),
      nextCursor: null,
    },
  }
}

async function answerHostilely(page: Page, sessionId: string): Promise<void> {
  for (const [path, reply] of Object.entries(replies(sessionId)))
    await page.route(
      (url) => url.pathname === `/api/v1${path}`,
      (route) => route.fulfill({ json: reply }),
    )
}

describe.skipIf(chromiumPath === null)('hostile replies', () => {
  test('in forms, search, usage, terminals, policy, tools, audit and settings: nothing runs, nothing is fetched', {
    timeout: 240_000,
  }, async () => {
    const runtime = await createServedRuntime({ webFolder: WEB })
    const session = ids.next('ses')
    await runtime.journal.append(session, [
      sessionCreated({
        title: HOSTILE[1] ?? '',
        cwd: '/x/<img src=x onerror=pwned()>',
        model: HOSTILE[2] ?? '',
      }),
      { type: 'session.changed', data: { branch: HOSTILE[26] ?? '', contextTokens: 5 } },
      turnStarted(ids.next('trn')),
    ])
    for (const text of HOSTILE)
      await runtime.journal.append(ids.next('ses'), [
        sessionCreated({
          title: text.slice(0, 200),
          cwd: `/x/${text.slice(0, 500)}`,
          model: text.slice(0, 100),
        }),
        { type: 'session.changed', data: { branch: text.slice(0, 200) } },
        { type: 'text.ended', data: { messageId: 'm', index: 0, text } },
        permissionRequested(ids.next('per')),
      ])
    const page = await (await openBrowser()).newPage({ viewport: { width: 1280, height: 900 } })
    const seen = await watch(page)
    const { code } = await runtime.access.createLoginCode()
    await page.goto(`${runtime.url}/#code=${code}`)
    await page.locator('.session-row').first().waitFor()
    // The whole list is drawn once, bit by bit.
    for (let step = 0; step < 30; step += 1)
      await page.evaluate('document.querySelector(".rows").scrollTop += 700')
    await answerHostilely(page, session)
    const goTo = async (path: string, ready: string, least: number) => {
      await page.goto(`${runtime.url}${path}`)
      await page
        .locator(ready)
        .nth(least - 1)
        .waitFor()
    }

    await goTo(`/sessions/${session}`, '.heading', 1)
    await goTo('/inbox', '.request', 60)
    await goTo('/search?q=img', '.result', 200)
    await goTo('/usage', '.days', 1)
    for (const way of [1, 2, 3]) {
      await page.locator('.chip').nth(way).click()
      await page.locator('.table tbody tr').nth(199).waitFor()
    }
    await goTo('/terminals', '.terminal', 200)
    await page.locator('.table tbody tr').nth(199).waitFor()
    await goTo('/policy', '.rules li', 200)
    await page.locator('.test-call input').fill(HOSTILE[0] ?? '')
    await page.locator('.test-call button').click()
    await page.locator('.verdict-box').waitFor()
    await page.getByRole('button', { name: 'As JSON' }).click()
    await page.getByLabel('Policy', { exact: true }).fill('{ "rules": [] }')
    await page.getByRole('button', { name: 'Test on the last 7 days' }).click()
    await page.locator('.backtest tbody tr').nth(99).waitFor()
    await goTo('/policy/tools', '.tools article', 200)
    await page.evaluate('document.querySelectorAll("details").forEach((part) => { part.open = true })')
    await goTo('/policy/audit', '.audit tbody tr', 200)
    await goTo('/settings', '.item-list li', 1_000)
    await goTo('/new', 'form.panel', 1)

    expect(seen).toEqual([])
    const added = 'document.querySelectorAll("main script, main iframe, main style, main link").length'
    expect(await page.evaluate(added)).toBe(0)
  })
})
