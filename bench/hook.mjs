/** Cost of the lifecycle hook, against a hook that runs a shell doing nothing, and against the document's script. */

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { placeProducer } from '../dist/terminal/hook/producer.js'
import { inTurns, report } from './support/measure.mjs'
import { bench, temporaryFolder } from './support/place.mjs'

const ROUNDS = 9
const RUNS = 20
/** It is slow enough to be measured by fewer. */
const DOCUMENT_RUNS = 3

/** To the letter the script of the document. */
const DOCUMENT = `#!/usr/bin/env bash
STREAM_FILE="\${KW_CHAT_STREAM_PATH:-$HOME/.kw-chat/streams/lifecycle.jsonl}"
mkdir -p "$(dirname "$STREAM_FILE")"

ID=$(python3 -c "import uuid; print(str(uuid.uuid4()))")
NOW=$(date -u +"%Y-%m-%dT%H:%M:%S.000Z")

echo "{\\"id\\":\\"$ID\\",\\"eventType\\":\\"$EVENT_TYPE\\",\\"phase\\":\\"$PHASE\\",\\"occurredAtIso\\":\\"$NOW\\",\\"sessionId\\":\\"\${CLAUDE_SESSION_ID:-unknown}\\",\\"provider\\":\\"claude\\",\\"projectPath\\":\\"\${CLAUDE_PROJECT_PATH:-null}\\"}" >> "$STREAM_FILE"
`

await bench(async () => {
  const folder = temporaryFolder()
  const stream = join(folder, 'lifecycle.jsonl')
  const [nothing, document] = [join(folder, 'nothing'), join(folder, 'document')]
  writeFileSync(nothing, '#!/bin/sh\n:\n')
  writeFileSync(document, DOCUMENT)
  for (const script of [nothing, document]) chmodSync(script, 0o755)
  const hook = (prompt) => ({
    session_id: '98c535d3-a581-4275-8483-06562a3827f5',
    transcript_path: '/home/dev/.claude/projects/-p/98c5.jsonl',
    cwd: '/home/dev/p',
    hook_event_name: 'UserPromptSubmit',
    prompt,
  })
  const [small, large] = [join(folder, 'small.json'), join(folder, 'large.json')]
  writeFileSync(small, JSON.stringify(hook('x'.repeat(1_000))))
  writeFileSync(large, JSON.stringify(hook('x'.repeat(120_000))))
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    KW_CHAT_STREAM_PATH: stream,
    EVENT_TYPE: 'session.lifecycle',
    PHASE: 'started',
  }
  // Many runs by one shell, so that what is measured is the hook and not the program that starts it.
  const loop = 'i=0; while [ $i -lt $3 ]; do "$1" < "$2"; i=$((i+1)); done'
  const run =
    (program, input, runs = RUNS) =>
    () => {
      writeFileSync(stream, '')
      const start = performance.now()
      const { status } = spawnSync('sh', ['-c', loop, 'sh', program, input, String(runs)], {
        env,
        stdio: 'ignore',
      })
      if (status !== 0) throw new Error(`${program} failed.`)
      return Promise.resolve((performance.now() - start) / runs)
    }
  const forms = ['compiled', 'perl'].flatMap((kind) => {
    if (kind === 'perl' && !existsSync('/usr/bin/perl')) return []
    try {
      return [[kind, placeProducer(join(folder, kind), [kind]).path]]
    } catch {
      return []
    }
  })
  const subjects = { 'sh, doing nothing': run(nothing, small) }
  for (const [kind, path] of forms) {
    subjects[`the hook (${kind}), 1 KB`] = run(path, small)
    subjects[`the hook (${kind}), 120 KB`] = run(path, large)
  }
  subjects['the document’s script'] = run(document, small, DOCUMENT_RUNS)
  const figures = await inTurns(subjects, ROUNDS)
  const best = `the hook (${forms[0]?.[0]}), 1 KB`
  await run(forms[0][1], small)()
  const lines = readFileSync(stream, 'utf8').split('\n').length - 1
  report({
    name: 'The lifecycle hook',
    figures,
    goals: [
      { row: best, most: 1.5 },
      { row: best, most: 0.2, of: 'the document’s script' },
    ],
    notes: [`${lines} lines of ${RUNS} runs arrived.`],
  })
})
