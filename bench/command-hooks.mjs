/**
 * What a command hook costs over starting its program: node bench/command-hooks.mjs [rounds]. Alternating runs, medians,
 * ratios. Needs a build.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { createCommandHooks } from '../dist/hook/command-hooks.js'

const ROUNDS = Number(process.argv[2] ?? 200)
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

const runs = {
  'the bare program, 1 KB': bare,
  'one hook, 1 KB': () => one.run(small, signal),
  'one hook, 400 KB': () => one.run(large, signal),
  'four hooks, 1 KB': () => four.run(small, signal),
  'no hook matches': () => hooks().run(small, signal),
}
const times = Object.fromEntries(Object.keys(runs).map((name) => [name, []]))
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, run] of Object.entries(runs)) {
    const start = performance.now()
    await run()
    times[name].push(performance.now() - start)
  }
}
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]
const reference = median(Object.values(times)[0])
for (const [name, list] of Object.entries(times)) {
  const value = median(list)
  console.log(`${name.padEnd(26)} ${value.toFixed(3).padStart(8)} ms  ${(value / reference).toFixed(2)}`)
}
console.log('(the last column: over the first line)')
