import { expect, test } from 'vitest'
import type { ToolLife } from '../../protocol/view/tool-life.js'
import { toolTable } from './tool-table.js'

const stage = { startedAt: '2026-11-16T12:00:00.100Z', label: null, outcome: null }
const life: ToolLife = {
  toolUseId: 'toolu_1',
  name: 'Write',
  input: { file_path: '/p/안녕.txt' },
  agentId: null,
  requestedAt: '2026-11-16T12:00:00.000Z',
  outcome: 'completed',
  by: 'person: kim',
  stages: [
    { ...stage, kind: 'judge', durationMs: 23 },
    { ...stage, kind: 'hook', durationMs: 19, label: './check.sh', outcome: 'passed' },
    { ...stage, kind: 'wait', durationMs: 65_000, label: 'person: kim', outcome: 'allow' },
    { ...stage, kind: 'run', durationMs: 1_250 },
  ],
  progress: null,
  childId: null,
}

test('a call is a line, and each of its hooks another below it', () => {
  const open: ToolLife = {
    ...life,
    name: 'Bash',
    input: { command: 'npm\n test' },
    outcome: null,
    by: null,
    stages: [
      { ...stage, kind: 'judge', durationMs: 5 },
      { ...stage, kind: 'wait', durationMs: null },
    ],
  }

  expect(toolTable([life, open], '/p', { utc: true, width: null })).toBe(
    [
      'at             call               policy  waited     ran    hooks  outcome    by',
      '12:00:00.000Z  Write: 안녕.txt    23 ms   1 min 5 s  1.3 s  19 ms  completed  person: kim',
      '12:00:00.100Z    hook ./check.sh                            19 ms  passed',
      '12:00:00.000Z  Bash: npm test     5 ms    …          -      -      waiting',
      '',
    ].join('\n'),
  )
})
