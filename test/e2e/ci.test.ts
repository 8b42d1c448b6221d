/** The CI recipe, as far as it runs without GitHub: its script, with the real CLI on the scripted model. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { Config } from '../../src/config.js'
import { MAIN } from '../support/daemon-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const FOLDER = fileURLToPath(new URL('../../examples/ci/', import.meta.url))

const SCRIPT = {
  rules: [
    { when: { toolResult: '*' }, reply: [{ text: 'It was refused, with key-of-the-model' }] },
    { when: { user: 'delete' }, reply: [{ tool: 'Bash', input: { command: 'rm -rf build' } }] },
    { reply: [{ text: 'ok' }] },
  ],
}

async function runScript(prompt: string, event: { name: string; content: unknown }) {
  const folder = await temporaryFolder()
  const cwd = join(folder, 'checkout')
  await mkdir(cwd)
  const file = (name: string) => join(folder, name)
  await writeFile(file('script.json'), JSON.stringify(SCRIPT))
  await writeFile(file('event.json'), JSON.stringify(event.content))
  await writeFile(file('summary.md'), '')
  await writeFile(file('output.txt'), '')
  const child = spawn(process.execPath, [join(FOLDER, 'run-prompt.mjs')], {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      RUNNER_TEMP: folder,
      SIGNALBOX_COMMAND: `${process.execPath} ${MAIN}`,
      SIGNALBOX_READ_ONLY_JAIL: 'off',
      SIGNALBOX_CI_PROMPT: prompt,
      SIGNALBOX_CI_SCRIPT: file('script.json'),
      SIGNALBOX_CI_TIMEOUT_MINUTES: '0.02',
      ANTHROPIC_API_KEY: 'key-of-the-model',
      GITHUB_EVENT_NAME: event.name,
      GITHUB_EVENT_PATH: file('event.json'),
      GITHUB_STEP_SUMMARY: file('summary.md'),
      GITHUB_OUTPUT: file('output.txt'),
    },
  })
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  const read = (name: string) => readFile(file(name), 'utf8')
  const hasStarted = (await readdir(folder)).some((name) => name.startsWith('signalbox-'))
  return {
    code: child.exitCode,
    out,
    err,
    hasStarted,
    summary: await read('summary.md'),
    output: await read('output.txt'),
  }
}

const pullRequest = (from: string | null) => ({
  name: 'pull_request',
  content: {
    repository: { full_name: 'us/app' },
    pull_request: { head: { repo: from && { full_name: from } } },
  },
})

test('an unanswered request is denied when its time is up, and the job ends without its key in the output', async () => {
  const { code, out, summary, output } = await runScript('delete the build', pullRequest('us/app'))
  expect(code).toBe(0)
  expect(out).toMatch(/^Signalbox: Waits for the team: .*rm -rf build/m)
  expect(out).toMatch(/^Signalbox: deny by timeout$/m)
  expect(summary).toContain('It was refused, with ***\n')
  expect(summary).toMatch(/\| .*rm -rf build.* \| deny \| timeout \|/)
  expect(output).toMatch(
    /^exit-code=0\ncost-usd=[\d.]*\nresult<<(end-\w+)\nIt was refused, with \*\*\*\n\1\n/,
  )
})

test.each([
  ['a fork', pullRequest('them/app')],
  ['a fork that was deleted', pullRequest(null)],
  ['an event without a repository', { name: 'pull_request', content: {} }],
  ['pull_request_target', { ...pullRequest('us/app'), name: 'pull_request_target' }],
  ['workflow_run', { name: 'workflow_run', content: {} }],
  ['a comment of any user', { ...pullRequest('us/app'), name: 'issue_comment' }],
  ['a review of any user', { ...pullRequest('us/app'), name: 'pull_request_review' }],
])('nothing runs for %s', async (_, event) => {
  const { code, err, hasStarted, output } = await runScript('hello', event)
  expect([code, hasStarted, output]).toEqual([4, false, ''])
  expect(err).toMatch(/^Signalbox: .*(fork)/)
})

test('the action passes inputs as variables alone, and the workflow leaves out forks', async () => {
  const action = parse(await readFile(join(FOLDER, 'action.yml'), 'utf8')) as {
    inputs: Record<string, unknown>
    runs: { using: string; steps: { run?: string; env?: Record<string, string> }[] }
  }
  expect(action.runs.using).toBe('composite')
  expect(action.runs.steps.filter(({ run = '' }) => run.includes('${{'))).toEqual([])
  const passed = JSON.stringify(action.runs.steps)
  expect(Object.keys(action.inputs).filter((name) => !passed.includes(`inputs.${name} }}`))).toEqual([])
  const workflow = parse(await readFile(join(FOLDER, 'workflow.yml'), 'utf8')) as {
    on: Record<string, unknown>
    permissions: unknown
    jobs: { review: { if: string } }
  }
  expect(Object.keys(workflow.on)).toEqual(['pull_request'])
  expect(workflow.permissions).toEqual({ contents: 'read' })
  expect(workflow.jobs.review.if).toContain('head.repo.full_name == github.repository')
  expect(existsSync(join(FOLDER, 'run-prompt.mjs'))).toBe(true)
})

test('the channels in docs/ci.md can be used', async () => {
  const page = await readFile(new URL('../../docs/ci.md', import.meta.url), 'utf8')
  const channels = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
  expect(Config.safeParse({ channels }).error).toBeUndefined()
})
