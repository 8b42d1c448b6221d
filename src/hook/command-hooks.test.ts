import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { type CommandHookDeps, createCommandHooks } from './command-hooks.js'
import { HookSettings } from './settings.js'

type Entry = string | ({ command: string } & Record<string, unknown>)

async function setup(entries: readonly Entry[], deps: Partial<CommandHookDeps> = {}) {
  const workspace = await temporaryFolder()
  const scratchFolder = await temporaryFolder()
  const hooks = entries.map((entry) => ({
    type: 'command',
    ...(typeof entry === 'string' ? { command: entry } : entry),
  }))
  const group = [{ matcher: '*', hooks }]
  const log: string[] = []
  let count = 0
  const commandHooks = createCommandHooks({
    settings: HookSettings.parse({ PreToolUse: group, PostToolUse: group }),
    workspace,
    env: { PATH: process.env['PATH'] ?? '' },
    scratchFolder,
    newId: () => `hook_${++count}`,
    onStarted: ({ hookId, event, toolUseId }) => log.push(`${hookId} started ${event} ${toolUseId}`),
    onEnded: ({ hookId, outcome, exitCode }) => log.push(`${hookId} ${outcome} ${exitCode}`),
    ...deps,
  })
  const run = (
    event: 'PreToolUse' | 'PostToolUse' = 'PreToolUse',
    more: Record<string, unknown> = {},
    signal?: AbortSignal,
  ) =>
    commandHooks.run(
      {
        session_id: 's-1',
        cwd: workspace,
        hook_event_name: event,
        tool_name: 'Write',
        tool_input: { file_path: 'hello.txt', content: '안녕하세요!' },
        tool_use_id: 'toolu_1',
        ...(event === 'PostToolUse' && { tool_response: { ok: true } }),
        ...more,
      },
      signal ?? new AbortController().signal,
    )
  return {
    workspace,
    scratchFolder,
    commandHooks,
    run,
    log,
    read: (name: string) => readFile(join(workspace, name), 'utf8'),
  }
}

describe('what a program is given', () => {
  test('the call in its environment, the whole event on its standard input, and nothing else', async () => {
    const { run, read, workspace } = await setup(['env > env.txt; cat > input.json'])
    await run('PreToolUse', { extra: { kept: [1] } })

    expect(JSON.parse(await read('input.json'))).toEqual({
      session_id: 's-1',
      cwd: workspace,
      hook_event_name: 'PreToolUse',
      tool_name: 'Write',
      tool_input: { file_path: 'hello.txt', content: '안녕하세요!' },
      tool_use_id: 'toolu_1',
      extra: { kept: [1] },
    })
    const env = Object.fromEntries(
      (await read('env.txt'))
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/s)),
    )
    const { PWD: _, OLDPWD: __, SHLVL: ___, _: ____, ...given } = env
    expect(given).toEqual({
      PATH: process.env['PATH'],
      CLAUDE_PROJECT_DIR: workspace,
      CLAUDE_CODE_SESSION_ID: 's-1',
      CLAUDE_TOOL_NAME: 'Write',
      CLAUDE_TOOL_INPUT: '{"file_path":"hello.txt","content":"안녕하세요!"}',
    })
  })

  test('the result only afterwards, also if somebody has set it before', async () => {
    const env = { PATH: process.env['PATH'] ?? '', CLAUDE_TOOL_RESULT: 'old', CLAUDE_TOOL_INPUT_FILE: 'old' }
    const { run, read } = await setup(
      ['echo "${CLAUDE_TOOL_RESULT-none} ${CLAUDE_TOOL_INPUT_FILE-none}" >> out.txt'],
      { env },
    )
    await run('PreToolUse')
    await run('PostToolUse')
    await run('PostToolUse', { tool_response: 'plain text' })
    expect(await read('out.txt')).toBe('none none\n{"ok":true} none\nplain text none\n')
  })

  test('400 KB: whole on standard input, cut between characters in the environment, whole in a file of its own', async () => {
    const content = `${'안'.repeat(135_000)}끝`
    const whole = JSON.stringify({ content })
    const { run, read, scratchFolder, workspace } = await setup([
      'cat > input.json; printf %s "$CLAUDE_TOOL_INPUT" > cut.txt; cp "$CLAUDE_TOOL_INPUT_FILE" whole.txt; ' +
        'stat -c %a "$CLAUDE_TOOL_INPUT_FILE" "$(dirname "$CLAUDE_TOOL_INPUT_FILE")" > modes.txt; echo "$CLAUDE_TOOL_RESULT_FILE" > file.txt',
    ])
    await run('PostToolUse', { tool_input: { content }, tool_response: content })

    expect(Buffer.byteLength(content)).toBeGreaterThan(400_000)
    expect(JSON.parse(await read('input.json'))).toMatchObject({
      tool_input: { content },
      tool_response: content,
    })
    const cut = await read('cut.txt')
    expect(whole.startsWith(cut)).toBe(true)
    expect(cut).not.toContain('\ufffd')
    expect(Buffer.byteLength(`CLAUDE_TOOL_INPUT=${cut}\0`)).toBeGreaterThan(128 * 1024 - 4)
    expect(Buffer.byteLength(`CLAUDE_TOOL_INPUT=${cut}\0`)).toBeLessThanOrEqual(128 * 1024)
    expect(await read('whole.txt')).toBe(whole)
    expect(await read('modes.txt')).toBe('600\n700\n')
    expect((await read('file.txt')).startsWith(scratchFolder)).toBe(true)
    expect(await readdir(scratchFolder)).toEqual([])
    expect(await readdir(workspace)).toHaveLength(5)
  })

  test('input that looks like no text at all', async () => {
    const content = '\0\u0001\ud800\u001b[31m"\\\n\r\u2028\ufffe'
    const { run, read } = await setup([
      'cat > input.json; printf %s "$CLAUDE_TOOL_INPUT" > input.txt; printf %s "$CLAUDE_TOOL_RESULT" > result.txt',
    ])
    await run('PostToolUse', { tool_input: { content }, tool_response: content })

    expect(JSON.parse(await read('input.json'))).toMatchObject({
      tool_input: { content },
      tool_response: content,
    })
    expect(JSON.parse(await read('input.txt'))).toEqual({ content })
    expect(await read('result.txt')).toBe('\ufffd\u0001\ufffd\u001b[31m"\\\n\r\u2028\ufffe')
  })

  test('a program without a shell, with its arguments as they are', async () => {
    const script = 'require("fs").writeFileSync("out.txt", process.argv.slice(1).join("|"))'
    const { run, read, workspace } = await setup([
      { command: process.execPath, args: ['-e', script, '$HOME `x`', '${CLAUDE_PROJECT_DIR}/a'] },
    ])
    await run()
    expect(await read('out.txt')).toBe(`$HOME \`x\`|${workspace}/a`)
  })

  test('it need not read its input', async () => {
    const { run, log } = await setup(['true'])
    await run('PreToolUse', { tool_input: { content: 'x'.repeat(3_000_000) } })
    expect(log.at(-1)).toBe('hook_1 passed 0')
  })
})

describe('how a program ends, and what that means', () => {
  const notExecutable = async () => {
    const file = join(await temporaryFolder(), 'plain.txt')
    await writeFile(file, 'no program')
    return file
  }
  const PROGRAMS: Record<string, () => Promise<Entry> | Entry> = {
    '0': () => 'echo fine',
    '1': () => 'echo oops >&2; exit 1',
    '2': () => 'echo not this file >&2; exit 2',
    '3': () => 'exit 3',
    '126': async () => `'${await notExecutable()}'`,
    '127': () => '/nowhere/to/be/found',
    signal: () => 'kill -SEGV $$',
    timeout: () => ({ command: 'sleep 30', timeout: 0.2 }),
    'not executable': async () => ({ command: await notExecutable(), args: [] }),
    missing: () => ({ command: '/nowhere/to/be/found', args: [] }),
  }
  const EXPECTED: Record<string, [pre: string, post: string]> = {
    '0': ['passed 0', 'passed 0'],
    '1': ['broken 1', 'broken 1'],
    '2': ['blocked 2', 'passed 2'],
    '3': ['broken 3', 'broken 3'],
    '126': ['broken 126', 'broken 126'],
    '127': ['broken 127', 'broken 127'],
    signal: ['broken null', 'broken null'],
    timeout: ['broken null', 'broken null'],
    'not executable': ['broken null', 'broken null'],
    missing: ['broken null', 'broken null'],
  }
  const cases = Object.keys(PROGRAMS).flatMap((name) =>
    (['PreToolUse', 'PostToolUse'] as const).flatMap((event) =>
      (['continue', 'block'] as const).map((onFailure) => [name, event, onFailure] as const),
    ),
  )

  test.each(cases)('%s, %s, onFailure %s', async (name, event, onFailure) => {
    const entry = await PROGRAMS[name]?.()
    const program = typeof entry === 'string' ? { command: entry } : entry
    if (!program) throw new Error('no such program')
    const { run, log } = await setup([{ ...program, onFailure }])
    const [pre, post] = EXPECTED[name] ?? ['', '']

    const { decision, context, reason } = await run(event)

    const isPre = event === 'PreToolUse'
    const plain = isPre ? pre : post
    const isTurned = isPre && onFailure === 'block' && plain.startsWith('broken')
    expect(log).toEqual([
      `hook_1 started ${event} toolu_1`,
      `hook_1 ${isTurned ? plain.replace('broken', 'blocked') : plain}`,
    ])
    expect(decision).toBe(isTurned || (isPre && name === '2') ? 'deny' : null)
    if (name === '0') expect(context).toBe('fine')
    if (name === '2') expect(isPre ? reason : context).toBe('not this file')
  })
})

describe('several hooks', () => {
  test('run at the same time, and a deny wins', async () => {
    const meet = (name: string, other: string) =>
      `touch ${name}; while ! [ -e ${other} ]; do sleep 0.01; done`
    const { run, log } = await setup([
      { command: `${meet('a', 'b')}; echo no >&2; exit 2`, timeout: 10 },
      { command: `${meet('b', 'a')}; echo '{"decision":"approve"}'`, timeout: 10 },
    ])
    expect(await run()).toMatchObject({ decision: 'deny', reason: 'no' })
    expect(log.slice(0, 2)).toEqual([
      'hook_1 started PreToolUse toolu_1',
      'hook_2 started PreToolUse toolu_1',
    ])
  })

  test('that are the same run once', async () => {
    const { run, read } = await setup(['echo x >> out.txt', { command: 'echo x >> out.txt', timeout: 5 }])
    await run()
    expect(await read('out.txt')).toBe('x\n')
  })

  test('change the input by the last that ends', async () => {
    const answer = (by: string) => `echo '{"hookSpecificOutput":{"updatedInput":{"by":"${by}"}}}'`
    const sign = join(await temporaryFolder(), 'quick-has-ended')
    const { run } = await setup(
      [
        { command: `while ! [ -e '${sign}' ]; do sleep 0.01; done; ${answer('slow')}`, timeout: 10 },
        answer('quick'),
      ],
      { onEnded: () => writeFileSync(sign, '') },
    )
    expect(await run()).toMatchObject({ decision: null, updatedInput: { by: 'slow' } })
  })
})

describe('processes', () => {
  const alive = (pid: string) => spawnSync('kill', ['-0', pid]).status === 0

  test.each(['timeout', 'abort'])('all that a hook has started ends with it: %s', async (how) => {
    const stop = new AbortController()
    // The shell in the background does not listen to a polite end.
    const { run, workspace, log } = await setup([
      {
        command: `(trap '' TERM; echo $$ > /dev/null; sh -c 'echo $PPID > pid.txt; mv pid.txt pid'; while :; do sleep 1; done) & wait`,
        timeout: how === 'timeout' ? 1 : 60,
      },
    ])
    const running = run('PreToolUse', {}, stop.signal)
    const pidFile = join(workspace, 'pid')
    await expect
      .poll(
        () =>
          stat(pidFile).then(
            () => true,
            () => false,
          ),
        { timeout: 10_000 },
      )
      .toBe(true)
    const pid = (await readFile(pidFile, 'utf8')).trim()
    expect(alive(pid)).toBe(true)
    if (how === 'abort') stop.abort()

    expect(await running).toMatchObject({ decision: null })
    expect(log.at(-1)).toBe('hook_1 broken null')
    await expect.poll(() => alive(pid), { timeout: 5_000 }).toBe(false)
  })

  test('what a hook leaves in the background holds nobody up', async () => {
    const { run, log, read } = await setup(['sleep 3 & echo $! > pid; echo fine'])
    expect(await run()).toMatchObject({ context: 'fine' })
    expect(log.at(-1)).toBe('hook_1 passed 0')
    process.kill(Number((await read('pid')).trim()))
  })

  test('endless output is cut and does not hold it up', async () => {
    const { run } = await setup(['yes 1 | head -c 20000000'])
    const { context } = await run()
    expect(context?.length).toBeLessThan(21_000)
  })

  test('a call that is interrupted already starts nothing', async () => {
    const { run, workspace } = await setup(['touch started'])
    await run('PreToolUse', {}, AbortSignal.abort())
    expect(await readdir(workspace)).toEqual([])
  })

  test('a folder that is gone is told apart from a program that is', async () => {
    const messages: (string | undefined)[] = []
    const { run } = await setup(['true'], { onEnded: ({ message }) => messages.push(message) })
    await run('PreToolUse', { cwd: '/nowhere' })
    expect(messages).toEqual([
      'The hook is broken: it could not be started, as the folder /nowhere does not exist.',
    ])
  })
})

test('events without hooks, and of no known kind, run nothing', async () => {
  const { commandHooks, log } = await setup(['true'])
  const signal = new AbortController().signal
  const inputs = [{ hook_event_name: 'Stop' }, { hook_event_name: 'Nonsense' }, {}, null, 'x']
  for (const input of inputs) expect(await commandHooks.run(input, signal)).toMatchObject({ decision: null })
  expect(log).toEqual([])
  expect(commandHooks.has('PreToolUse')).toBe(true)
  expect(commandHooks.has('Stop')).toBe(false)
  expect(commandHooks.maxMs('PreToolUse')).toBe(605_000)
  expect(commandHooks.maxMs('Stop')).toBe(0)
})
