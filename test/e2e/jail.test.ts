/** The read-only jail with the real CLI: what runs in it, what the agent and people see of it, and how to ask for more. */

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '../../src/protocol/event.js'
import { JAIL_NOTE } from '../../src/session/session-jail.js'
import { aPerson } from '../support/build.js'
import { hasBubblewrap } from '../support/jail.js'
import { createRealBox, makeFolders, type RealBox } from '../support/real-box.js'

const bash = (command: string, more: Record<string, unknown> = {}) => ({ command, ...more })

/** One message of the model for each command, so that each starts when the one before has ended. */
async function setup(inputs: object[], config: Parameters<typeof createRealBox>[2] = {}): Promise<RealBox> {
  const place = await makeFolders()
  await mkdir(join(place.cwd, 'src'))
  await writeFile(join(place.cwd, 'src', 'a.txt'), 'hello\n')
  await writeFile(join(place.cwd, '.env'), 'KEY=canary-of-the-file\n')
  const rules = inputs.map((input, index) => ({
    when: index === 0 ? { user: 'go' } : { toolResult: 'Bash' },
    times: 1,
    reply: [{ tool: 'Bash', input, id: `toolu_${index + 1}` }],
  }))
  const box = await createRealBox(place, { rules: [...rules, { reply: [{ text: 'Done.' }] }] }, config)
  await box.box.jail.verify()
  return box
}

const run = (box: RealBox) => box.run('go', { permissionMode: 'default' })

function dataOf<Type extends SessionEvent['type']>(events: readonly SessionEvent[], type: Type) {
  return events.flatMap((event) =>
    event.type === type ? [event.data as Extract<SessionEvent, { type: Type }>['data']] : [],
  )
}

describe.skipIf(!hasBubblewrap)('with a verified jail', () => {
  test('a proven command runs in it; output, exit code and folder are as without', async () => {
    const box = await setup([
      bash('cat src/a.txt'),
      bash('cd src && ls'),
      bash('pwd'),
      bash('cat nosuch'),
      bash('cat a.txt | tr a-z A-Z'),
    ])
    const { events, session, id } = await run(box)

    expect([1, 2, 3, 4, 5].map((number) => box.resultOf(`toolu_${number}`))).toEqual([
      { isError: false, text: 'hello' },
      { isError: false, text: 'a.txt' },
      { isError: false, text: join(box.cwd, 'src') },
      { isError: true, text: 'Exit code 1\ncat: nosuch: No such file or directory' },
      { isError: false, text: 'HELLO' },
    ])
    expect(dataOf(events, 'permission.requested')).toEqual([])
    expect(dataOf(events, 'tool.started').map(({ jail, by }) => [jail, by])).toEqual(
      Array.from({ length: 5 }, () => [true, 'policy: autoAllow read-only in the jail']),
    )
    expect(session.jail).toEqual({ isOn: true, setting: 'auto', unproven: 'jail', reason: null })
    // Nobody sees the wrapper: not in the log of events, not in the audit, not the model.
    expect(JSON.stringify(events)).not.toContain('bwrap')
    expect(box.sent()).not.toContain('bwrap')
    const rows = (await box.box.store.audit({ sessionId: id })).map(({ entry }) => entry).join('\n')
    expect(rows).not.toContain('bwrap')
    expect(rows).toContain('autoAllow read-only in the jail')
    // What is proven needs no explanation.
    expect(box.sent()).not.toContain(JAIL_NOTE)
  })

  test('a loop that cannot be proven runs in it unasked, and the agent learns how to ask for more', async () => {
    const box = await setup([
      bash('for f in $(ls src); do wc -l "src/$f"; done'),
      bash('for f in $(ls src); do cat "src/$f.missing"; done'),
    ])
    const { events } = await run(box)

    expect(box.resultOf('toolu_1')).toEqual({ isError: false, text: '1 src/a.txt' })
    expect(dataOf(events, 'permission.requested')).toEqual([])
    expect(dataOf(events, 'tool.started')).toMatchObject([{ jail: true }, { jail: true }])
    expect(dataOf(events, 'tool.judged')).toMatchObject([
      { jail: true, by: 'policy: autoAllow jail in the jail' },
      {},
    ])
    expect(box.sent()).toContain(JAIL_NOTE)
  })

  test('a call that leaves the sandbox is asked, shown as it was written, and runs outside', async () => {
    const box = await setup([bash('touch made && ls', { dangerouslyDisableSandbox: true })])
    const { id } = await box.hub.createSession({ cwd: box.cwd, prompt: 'go' }, aPerson)
    await box.sessionWhen(id, ({ pendingRequests }) => pendingRequests.length === 1)
    const [request] = await box.hub.inbox.requests({ sessionId: id, state: 'pending' })
    expect(request?.input).toMatchObject({ command: 'touch made && ls' })

    await box.hub.inbox.answer(request?.id ?? '', { decision: 'allow' }, aPerson)
    await box.sessionWhen(id, ({ turns, turn }) => turns > 0 && turn === null)

    expect(existsSync(join(box.cwd, 'made'))).toBe(true)
  })

  test('an interrupt ends a command in it with all its processes, and no event shows the wrapper', async () => {
    const box = await setup([bash('tail -f src/a.txt')])
    const { id } = await box.hub.createSession({ cwd: box.cwd, prompt: 'go' }, aPerson)
    // The CLI tells of it as a task once it has run for a while.
    const tasks = async () => dataOf(await box.events(id), 'task.started')
    await expect.poll(async () => (await tasks()).length, { timeout: 30_000 }).toBe(1)

    await box.hub.interrupt(id)
    await box.sessionWhen(id, ({ turn }) => turn === null)

    const events = await box.events(id)
    expect(dataOf(events, 'tool.started')).toMatchObject([{ jail: true }])
    expect(JSON.stringify(events)).not.toContain('bwrap')
    await expect.poll(() => processesWith(box.cwd)).toEqual([])
  })

  test('a hook of the project that may change commands keeps them out of the jail', async () => {
    const box = await setup([bash('cat src/a.txt')])
    await mkdir(join(box.cwd, '.claude'))
    const hook = { matcher: 'Bash', hooks: [{ type: 'command', command: 'true' }] }
    await writeFile(
      join(box.cwd, '.claude', 'settings.json'),
      JSON.stringify({ hooks: { PreToolUse: [hook] } }),
    )
    await box.hub.trust(box.cwd, aPerson)
    const { events, session } = await run(box)

    expect(session.jail).toMatchObject({ isOn: false, reason: expect.stringContaining('PreToolUse hook') })
    expect(dataOf(events, 'tool.started')).toMatchObject([{ by: 'policy: autoAllow read-only' }])
    expect(box.resultOf('toolu_1')).toEqual({ isError: false, text: 'hello' })
  })

  test('with "off" it is not used, and the session says so', async () => {
    const box = await setup([bash('cat src/a.txt')], { readOnlyJail: 'off' })
    const { events, session } = await run(box)

    expect(session.jail).toMatchObject({ isOn: false, setting: 'off' })
    expect(dataOf(events, 'tool.started')[0]?.jail).toBeUndefined()
  })
})

/** Jails that still run: their command lines name the workspace. */
function processesWith(text: string): string[] {
  const { stdout } = spawnSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line.includes('bwrap') && line.includes(text))
}
