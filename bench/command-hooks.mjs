/**
 * Overhead of a command hook over starting its program: node bench/command-hooks.mjs [rounds]. Alternating
 * runs, medians, ratios. Needs a build.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { createCommandHooks } from '../dist/hook/command-hooks.js'
import { inTurns, report, timed } from './support/measure.mjs'

const ROUNDS = Number(process.argv.slice(2).find((word) => !word.startsWith('-')) ?? 200)
const signal = new AbortController().signal
const env = { PATH: process.env.PATH }

function hooks(...commands) {
  return createCommandHooks({
    settings: {
      PreToolUse: [
        { hooks: commands.map((command) => ({ type: 'command', command, onFailure: 'continue' })) },
      ],
    },
    workspace: tmpdir(),
    env,
    scratchFolder: tmpdir(),
    newId: () => 'id',
    onStarted: () => {},
    onEnded: () => {},
  })
}

const event = (content) => ({
  hook_event_name: 'PreToolUse',
  tool_name: 'Write',
  tool_input: { file_path: 'a.txt', content },
  tool_use_id: 'toolu_1',
  session_id: 's',
  cwd: tmpdir(),
})
const [small, large] = [event('x'.repeat(1_000)), event('x'.repeat(400_000))]
const [one, four] = [hooks('cat > /dev/null'), hooks(...[1, 2, 3, 4].map((n) => `cat > /dev/null # ${n}`))]

async function bare() {
  const child = spawn('/bin/sh', ['-c', 'cat > /dev/null'], { env, stdio: 'pipe', detached: true })
  child.stdin.end(JSON.stringify(small))
  await once(child, 'close')
}

const turns = Object.fromEntries(
  Object.entries({
    'the bare program, 1 KB': bare,
    'one hook, 1 KB': () => one.run(small, signal),
    'one hook, 400 KB': () => one.run(large, signal),
    'four hooks, 1 KB': () => four.run(small, signal),
    'no hook matches': () => hooks().run(small, signal),
  }).map(([name, run]) => [name, () => timed(run)]),
)
report({ name: 'a command hook', figures: await inTurns(turns, ROUNDS) })
