/**
 * Runs one prompt in CI with Signalbox: policy `careful`, requests to the team through a channel, denied when their time is up.
 * Needs the command `signalbox` (or SIGNALBOX_COMMAND). Settings are variables, so that no text of an issue gets into a shell.
 */

import { spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const SECRETS = ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN', 'SIGNALBOX_CI_CHANNELS']
/** Events that only users who can write to the repository cause. */
const OF_THE_TEAM = new Set(['push', 'schedule', 'workflow_dispatch', 'repository_dispatch', 'release'])
const { env } = process

process.exitCode = await main()

async function main() {
  const refusal = refusalFor(env.GITHUB_EVENT_NAME, eventOf(env.GITHUB_EVENT_PATH))
  if (refusal !== null) return fail(refusal)
  const prompt = (env.SIGNALBOX_CI_PROMPT ?? '').trim()
  if (prompt === '') return fail('SIGNALBOX_CI_PROMPT is empty. Set the input "prompt".')
  const minutes = Number(env.SIGNALBOX_CI_TIMEOUT_MINUTES ?? '30')
  if (!(minutes >= 0.001 && minutes <= 300)) return fail('The timeout must be 0.001 to 300 minutes.')
  const channels = readChannels(env.SIGNALBOX_CI_CHANNELS)
  if (channels === null) return fail('SIGNALBOX_CI_CHANNELS is not a JSON object of channels.')

  const home = mkdtempSync(join(env.RUNNER_TEMP ?? tmpdir(), 'signalbox-'))
  writeFileSync(join(home, 'config.jsonc'), JSON.stringify(configOf(minutes, channels)), { mode: 0o600 })
  const result = await run(prompt, home)
  report(result)
  return result.code
}

/** Code of a fork must not run with secrets: neither its prompt, nor its files. Fail closed. */
function refusalFor(name, event) {
  if (name === undefined || OF_THE_TEAM.has(name)) return null
  if (name !== 'pull_request')
    return `${name} can run with secrets beside code of forks, or texts of strangers. Use pull_request, or one of ${[...OF_THE_TEAM].join(', ')}.`
  const [head, base] = [event?.pull_request?.head?.repo?.full_name, event?.repository?.full_name]
  if (typeof head === 'string' && head === base) return null
  return 'This pull request comes from a fork: nothing runs, and no token is used.'
}

function eventOf(path) {
  try {
    return JSON.parse(readFileSync(path ?? '', 'utf8'))
  } catch {
    return null
  }
}

function readChannels(text = '{}') {
  try {
    const value = JSON.parse(text.trim() === '' ? '{}' : text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

function configOf(minutes, channels) {
  const timeoutMs = Math.round(minutes * 60_000)
  return {
    policy: 'careful',
    warm: 0,
    permissionTimeoutMs: timeoutMs,
    questionTimeoutMs: timeoutMs,
    channels,
    // Nobody sits at this machine: the team is notified at once.
    notifications: { afterMs: 0, deskMs: 0 },
  }
}

/** The secrets of the action are not for the agent: it gets those that the CLI needs, and nothing else of this process. */
async function run(prompt, home) {
  const [command = 'signalbox', ...first] = (env.SIGNALBOX_COMMAND ?? 'signalbox').split(' ')
  const args = [...first, 'run', '--json', '--home', home]
  for (const [flag, value] of [
    ['--max-turns', env.SIGNALBOX_CI_MAX_TURNS],
    ['--budget', env.SIGNALBOX_CI_BUDGET_USD],
    ['--model', env.SIGNALBOX_CI_MODEL],
    ['--scripted', env.SIGNALBOX_CI_SCRIPT],
  ])
    if (value) args.push(flag, value)
  const { SIGNALBOX_CI_CHANNELS: _, GITHUB_TOKEN: __, ...rest } = env
  const child = spawn(command, args, { env: rest, stdio: ['pipe', 'pipe', 'inherit'] })
  // A prompt is text of users: over standard input no shell and no option parser reads it.
  child.stdin.end(prompt)
  const result = { code: 1, text: '', costUsd: null, requests: [] }
  for await (const line of createInterface({ input: child.stdout })) note(result, line)
  result.code = child.exitCode ?? (await new Promise((resolve) => child.once('exit', resolve))) ?? 1
  return result
}

function note(result, line) {
  let event
  try {
    event = JSON.parse(line)
  } catch {
    return
  }
  const { type, data } = event
  if (type === 'permission.requested') {
    result.requests.push({ id: data.requestId, title: data.title, decision: 'pending', by: '' })
    say(`Waits for the team: ${data.title}`)
  }
  if (type === 'permission.resolved') {
    const request = result.requests.find(({ id }) => id === data.requestId)
    if (request) Object.assign(request, { decision: data.decision, by: data.who ?? data.by })
    say(`${data.decision} by ${data.who ?? data.by}`)
  }
  if (type === 'turn.ended') Object.assign(result, { text: data.text ?? '', costUsd: data.costUsd })
}

function report({ code, text, costUsd, requests }) {
  const rows = requests.map(({ title, decision, by }) => `| ${cell(title)} | ${decision} | ${cell(by)} |`)
  const table = rows.length > 0 ? `\n| request | decision | by |\n|---|---|---|\n${rows.join('\n')}\n` : ''
  append(env.GITHUB_STEP_SUMMARY, `## Signalbox\n\n${hidden(text)}\n${hidden(table)}`)
  const mark = `end-${Math.random().toString(36).slice(2)}`
  append(
    env.GITHUB_OUTPUT,
    `exit-code=${code}\ncost-usd=${costUsd ?? ''}\nresult<<${mark}\n${hidden(text)}\n${mark}\n`,
  )
}

function cell(text) {
  return String(text).replaceAll(/[|\r\n]+/g, ' ')
}

/** Summaries of public repositories can be read by all. */
function hidden(text) {
  return SECRETS.reduce((left, name) => (env[name] ? left.replaceAll(env[name], '***') : left), text)
}

function append(path, text) {
  if (path) appendFileSync(path, `${text}\n`)
  else if (text.startsWith('##')) process.stdout.write(`${text}\n`)
}

/** One line: GitHub reads commands (`::…`) at the beginning of lines. */
function say(text) {
  process.stdout.write(`Signalbox: ${hidden(cell(text))}\n`)
}

function fail(why) {
  process.stderr.write(`Signalbox: ${why}\n`)
  return 4
}
