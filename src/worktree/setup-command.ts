/** Runs the command that prepares a worktree, before its session gets its first message. */

import { runProgram } from '../hook/program.js'

export interface SetupResult {
  outcome: 'completed' | 'failed' | 'interrupted'
  exitCode: number | null
  /** The end of what it printed. */
  output: string
  durationMs: number
}

const MAX_OUTPUT = 20_000

export async function runSetup(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<SetupResult> {
  const { end, stdout, stderr, durationMs } = await runProgram({
    command,
    args: null,
    cwd,
    env,
    input: '',
    timeoutMs,
    signal,
  })
  const output = [stdout, stderr].filter((text) => text !== '').join('\n')
  const more = end.kind === 'timed_out' ? `\nIt did not end within ${timeoutMs / 1000} s and was killed.` : ''
  return {
    outcome:
      end.kind === 'aborted'
        ? 'interrupted'
        : end.kind === 'exited' && end.code === 0
          ? 'completed'
          : 'failed',
    exitCode: end.kind === 'exited' ? end.code : null,
    output: `${output}${more}`.slice(-MAX_OUTPUT),
    durationMs,
  }
}
