import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { isInOrder } from '../../protocol/terminal/hook-status.js'
import { HOOK_NAME, HOOK_POINTS, isOlderHook, isUpToDate, ourEntries } from './hook-entry.js'
import { readHookStatus } from './hook-status.js'
import { installHooks, linkPathOf, settingsPathOf, uninstallHooks } from './install.js'
import { placeProducer } from './producer.js'
import { addHooks, removeHooks } from './settings-text.js'

/** Built once for all tests: compiling it each time would take most of the time. */
const shared = join(tmpdir(), `signalbox-install-${process.pid}`)
beforeAll(() => {
  placeProducer(shared)
})
afterAll(() => rmSync(shared, { recursive: true, force: true }))

async function setup(settings?: string | Buffer) {
  const folder = await temporaryFolder()
  const claudeFolder = join(folder, 'my claude')
  const home = join(folder, 'home')
  mkdirSync(join(home), { recursive: true })
  mkdirSync(claudeFolder)
  symlinkSync(join(shared, 'hook'), join(home, 'hook'))
  rmSync(join(shared, 'hook', 'installed'), { recursive: true, force: true })
  const place = { claudeFolder, home, cwd: folder, scope: 'user' as const, now: Date.now() }
  const path = settingsPathOf(place)
  if (settings !== undefined) writeFileSync(path, settings)
  return {
    folder,
    place,
    path,
    link: linkPathOf(claudeFolder),
    command: { command: linkPathOf(claudeFolder), home },
    install: (more = {}) => installHooks({ ...place, ...more }),
    uninstall: (more = {}) => uninstallHooks({ ...place, ...more }),
    status: () =>
      readHookStatus({ ...place, streamPath: join(folder, 'lifecycle.jsonl'), platform: 'somewhere' }),
    read: () => readFileSync(path),
    json: () => JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, '')) as Record<string, unknown>,
  }
}

const FOREIGN = {
  permissions: { allow: ['Bash(git status)'], deny: ['Read(./.env)'] },
  hooks: {
    Stop: [{ hooks: [{ type: 'command', command: 'say done' }] }],
    PreToolUse: [
      { matcher: 'Bash', hooks: [{ type: 'command', command: '/usr/local/bin/guard', timeout: 3 }] },
    ],
  },
  env: { LANG: 'ko_KR.UTF-8', 이름: '눈송이' },
  model: 'opus',
}
const pretty = (value: unknown, indent: number | string = 2) => JSON.stringify(value, null, indent)

/** Files that Claude Code accepts. */
const VALID: Record<string, string | Buffer> = {
  empty: '',
  'only white space': ' \n\n',
  'an empty object': '{}',
  'an empty object with a space': '{ }\n',
  'an empty object over two lines': '{\n}\n',
  'no hooks': pretty({ model: 'opus', permissions: { allow: [] } }),
  'empty hooks': pretty({ hooks: {} }),
  'an empty list of hooks': pretty({ hooks: { Stop: [] } }),
  'foreign hooks': `${pretty(FOREIGN)}\n`,
  'foreign hooks, four spaces': `${pretty(FOREIGN, 4)}\n`,
  'foreign hooks, tabs': pretty(FOREIGN, '\t'),
  'foreign hooks, in one line': JSON.stringify(FOREIGN),
  'foreign hooks, in one line with spaces': JSON.stringify(FOREIGN).replaceAll(/([,:])(?=["[{])/g, '$1 '),
  'line ends of Windows': pretty(FOREIGN).replaceAll('\n', '\r\n'),
  'a byte order mark': `\ufeff${pretty(FOREIGN)}\n`,
  'many line ends behind it': `${pretty(FOREIGN)}\n\n\n`,
  'an odd layout': '{"model"  :\n\n"opus"  ,"hooks":{ "Stop":[\n] }   }  ',
  'lists in one line':
    '{\n  "hooks": {\n    "Stop": [{ "hooks": [{ "type": "command", "command": "x" }] }]\n  }\n}\n',
  'unknown keys': pretty({ whatever: { a: [1, 2, { b: null }] }, _note: 'mine' }),
  'an unknown event': pretty({ hooks: { MoonRise: [{ hooks: [] }] } }),
  'a broken entry of an event that does not guard': pretty({ hooks: { Stop: [{}] } }),
  'hooks switched off': pretty({ disableAllHooks: true }),
  'letters of other scripts': pretty({ env: { 이름: '눈송이 ❄ 😀' }, hooks: { Stop: [] } }),
  'escaped letters': '{"env":{"A":"\\u0041\\/\\ud83d\\ude00"}}',
  'large numbers': '{"cleanupPeriodDays": 1e3, "x": 123456789012345678901234567890}',
  'bytes that are no text': Buffer.from([
    ...Buffer.from('{\n  "x": "'),
    0xff,
    0xfe,
    ...Buffer.from('"\n}\n'),
  ]),
  huge: pretty({
    x: Array.from({ length: 20_000 }, (_, index) => `entry ${index} with some text in it`),
    ...FOREIGN,
  }),
  'the hook of the document': pretty({
    hooks: {
      Stop: [
        {
          hooks: [
            {
              type: 'command',
              command: 'EVENT_TYPE=session.lifecycle PHASE=ended ~/.claude/hooks/lifecycle-logger.sh',
            },
          ],
        },
      ],
    },
  }),
}

/** Files that Claude Code rejects as a whole, or that cannot take an entry. */
const INVALID: Record<string, string | Buffer> = {
  'a comment': `// mine\n${pretty(FOREIGN)}`,
  'a comment inside': '{\n  /* why */ "model": "opus"\n}',
  'a trailing comma': '{"model":"opus",}',
  'a missing brace': '{"model":"opus"',
  'no JSON at all': 'model = opus',
  'a list': '[]',
  null: 'null',
  'a wrong type': '{"model":123}',
  'permissions that are a text': '{"permissions":"all"}',
  'a list of permissions that is none': '{"permissions":{"allow":"Bash"}}',
  'an unknown permission mode': '{"permissions":{"defaultMode":"wild"}}',
  'hooks that are a list': '{"hooks":[]}',
  'an event that is an object': '{"hooks":{"Stop":{}}}',
  'a guard that cannot be loaded': '{"hooks":{"PreToolUse":[{"matcher":"Bash"}]}}',
  'a guard of an unknown kind': '{"hooks":{"PermissionRequest":[{"hooks":[{"type":"magic"}]}]}}',
  'hooks twice': '{"hooks":{},"hooks":{"Stop":[]}}',
  'an event twice': '{"hooks":{"Stop":[],"Stop":[]}}',
  'another encoding': Buffer.from('\ufeff{"model":"opus"}', 'utf16le'),
}

test('enough settings files are tried', () => {
  expect(Object.keys(VALID).length + Object.keys(INVALID).length).toBeGreaterThanOrEqual(30)
})

describe.each(Object.entries(VALID))('settings with %s', (_, settings) => {
  test('get the hooks, keep everything else, and come back byte for byte', async () => {
    const { install, uninstall, read, path, command, json } = await setup(settings)
    const before = read()

    const steps = await install()
    const after = read()
    const again = await install()

    expect(steps.at(-1)).toMatchObject({ kind: 'merged', path })
    expect(isUpToDate(json(), command)).toBe(true)
    expect(again.at(-1)).toEqual({ kind: 'unchanged', path })
    expect(read().equals(after)).toBe(true)

    expect((await uninstall())[0]).toEqual({ kind: 'restored', path, isExact: true })
    expect(read().equals(before)).toBe(true)
    expect((await uninstall())[0]).toEqual({ kind: 'unchanged', path })
  })

  test('keep what was added by others in the meantime', async () => {
    const { install, uninstall, read, path, json } = await setup(settings)
    const foreign = withoutOurs(parse(read()))
    await install()
    const changed = { ...json(), model: 'sonnet' }
    writeFileSync(path, pretty(changed))

    expect((await uninstall())[0]).toEqual({ kind: 'restored', path, isExact: false })

    expect(json()).toEqual({ ...foreign, model: 'sonnet' })
  })
})

function parse(bytes: Buffer): unknown {
  const text = bytes.toString('utf8').replace(/^\ufeff/, '')
  return text.trim() === '' ? {} : JSON.parse(text)
}

/** The settings without our entries, and without containers that are empty then. */
function withoutOurs(settings: unknown): Record<string, unknown> {
  const { hooks, ...rest } = settings as { hooks?: Record<string, { hooks: { command: string }[] }[]> }
  const kept = Object.entries(hooks ?? {})
    .map(
      ([event, groups]) =>
        [
          event,
          groups.filter((group) => !group.hooks?.some(({ command }) => command.endsWith(HOOK_NAME))),
        ] as const,
    )
    .filter(([event, groups]) => groups.length > 0 || !HOOK_POINTS.some((point) => point.event === event))
  return kept.length > 0 ? { ...rest, hooks: Object.fromEntries(kept) } : rest
}

describe.each(Object.entries(INVALID))('settings with %s', (_, settings) => {
  test('are reported and left exactly as they are', async () => {
    const { install, uninstall, read, path, place, link } = await setup(settings)
    const before = read()
    const files = readdirSync(place.claudeFolder)

    expect(await install()).toEqual([{ kind: 'refused', path, problem: expect.any(String) }])
    expect(await uninstall()).toEqual([{ kind: 'refused', path, problem: expect.any(String) }])

    expect(read().equals(before)).toBe(true)
    expect(readdirSync(place.claudeFolder)).toEqual(files)
    expect(existsSync(link)).toBe(false)
  })
})

describe('the file itself', () => {
  test('is made where there was none, and removed again', async () => {
    const { install, uninstall, path, json, place } = await setup()
    rmSync(place.claudeFolder, { recursive: true })

    await install()
    expect(ourEntries(json())).toHaveLength(HOOK_POINTS.length)
    await uninstall()

    expect(existsSync(path)).toBe(false)
  })

  test('is written where a link leads, and the link stays', async () => {
    const { install, uninstall, path, folder } = await setup()
    const real = join(folder, 'dotfiles', 'settings.json')
    mkdirSync(dirname(real))
    writeFileSync(real, '{"model":"opus"}')
    symlinkSync(join('..', 'dotfiles', 'settings.json'), path)

    await install()
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect(ourEntries(JSON.parse(readFileSync(real, 'utf8')))).toHaveLength(HOOK_POINTS.length)
    await uninstall()

    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect(readFileSync(real, 'utf8')).toBe('{"model":"opus"}')
  })

  test('a link that leads nowhere yet gets its file', async () => {
    const { install, path, folder } = await setup()
    mkdirSync(join(folder, 'dotfiles'))
    symlinkSync(join(folder, 'dotfiles', 'settings.json'), path)

    await install()

    expect(existsSync(join(folder, 'dotfiles', 'settings.json'))).toBe(true)
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
  })

  test('keeps its mode', async () => {
    const { install, path } = await setup('{}')
    chmodSync(path, 0o640)
    await install()
    expect(statSync(path).mode & 0o777).toBe(0o640)
  })

  test('that is read-only is reported and left alone', async () => {
    const { install, path, read } = await setup('{}')
    chmodSync(path, 0o444)
    expect(await install()).toEqual([{ kind: 'refused', path, problem: 'It is read-only.' }])
    expect(String(read())).toBe('{}')
  })

  test('that is a folder is reported', async () => {
    const { install, path } = await setup()
    mkdirSync(path)
    expect(await install()).toMatchObject([{ kind: 'refused', path }])
  })

  test('leaves no draft behind', async () => {
    const { install, uninstall, place } = await setup('{}')
    await install()
    await uninstall()
    expect(readdirSync(place.claudeFolder)).toEqual(['hooks', 'settings.json'])
  })
})

describe('the link', () => {
  test('leads to a hook that runs, and goes with the last installation', async () => {
    const { install, uninstall, link, folder } = await setup()
    await install()
    await install({ scope: 'project' })
    expect(existsSync(readlinkSync(link))).toBe(true)
    expect(existsSync(join(folder, '.claude', 'settings.json'))).toBe(true)

    await uninstall()
    expect(existsSync(link)).toBe(true)
    await uninstall({ scope: 'project' })

    expect(existsSync(link)).toBe(false)
    expect(existsSync(join(folder, '.claude', 'settings.json'))).toBe(false)
  })

  test('is set right when it leads to an older hook of ours', async () => {
    const { install, link, place } = await setup()
    mkdirSync(dirname(link))
    symlinkSync('/gone/hook/0123/lifecycle-logger.pl', link)
    await install()
    expect(readlinkSync(link)).toContain(place.home)
  })

  test('is not put in the place of something else', async () => {
    const { install, link, path } = await setup()
    mkdirSync(dirname(link))
    writeFileSync(link, 'mine')
    await expect(install()).rejects.toThrow('is not a link')
    expect(existsSync(path)).toBe(false)
    expect(readFileSync(link, 'utf8')).toBe('mine')
  })
})

test('a dry run says what would happen and does nothing', async () => {
  const { install, uninstall, path, read, link } = await setup('{"model":"opus"}')
  expect(await install({ dryRun: true })).toEqual([
    { kind: 'merged', path, hooks: expect.arrayContaining(['SessionStart', 'PreToolUse[Skill]']) },
  ])
  expect(String(read())).toBe('{"model":"opus"}')
  expect(existsSync(link)).toBe(false)
  await install()
  const after = read()
  expect(await uninstall({ dryRun: true })).toEqual([{ kind: 'restored', path, isExact: true }])
  expect(read().equals(after)).toBe(true)
})

test('a plugin folder does the same without touching the settings, and replaces entries in them', async () => {
  const { install, uninstall, read, place } = await setup('{"model":"opus"}')
  await install()

  await install({ asPlugin: true })

  expect(String(read())).toBe('{"model":"opus"}')
  const folder = join(place.claudeFolder, 'skills', 'signalbox')
  const hooks = JSON.parse(readFileSync(join(folder, 'hooks', 'hooks.json'), 'utf8'))
  const command = `\${CLAUDE_PLUGIN_ROOT}/hooks/${HOOK_NAME}`
  expect(isUpToDate(hooks, { command, home: place.home })).toBe(true)
  expect(await install({ asPlugin: true })).toEqual([{ kind: 'unchanged', path: folder }])

  await install()
  expect(existsSync(folder)).toBe(false)
  await install({ asPlugin: true })
  await uninstall()
  expect(existsSync(folder)).toBe(false)
  expect(String(read())).toBe('{"model":"opus"}')
})

test('an older hook of ours is replaced, and does not come back', async () => {
  const foreign = { type: 'command', command: 'say done' }
  const older = { type: 'command', command: `/old/place/${HOOK_NAME}` }
  const { install, uninstall, json, command } = await setup(
    pretty({ hooks: { Stop: [{ hooks: [foreign, older] }], Setup: [{ hooks: [older] }] } }),
  )

  await install()
  expect(isUpToDate(json(), command)).toBe(true)
  await uninstall()

  expect(json()).toEqual({ hooks: { Stop: [{ hooks: [foreign] }] } })
})

test('a second installation still goes back to the file as it was before the first', async () => {
  const { install, uninstall, path, read, place } = await setup('{ "model" : "opus" }')
  await install()
  const older = String(read()).replaceAll('"timeout":5', '"timeout":4')
  expect(older).not.toBe(String(read()))
  writeFileSync(path, older)
  const record = join(place.home, 'hook', 'installed')
  const [name = ''] = readdirSync(record)
  const { digestOfBytes } = await import('./install-record.js')
  const written = JSON.parse(readFileSync(join(record, name), 'utf8')) as { after: string }
  writeFileSync(join(record, name), JSON.stringify({ ...written, after: digestOfBytes(read()) }))

  expect((await install()).at(-1)).toMatchObject({ kind: 'merged' })
  await uninstall()

  expect(String(read())).toBe('{ "model" : "opus" }')
})

test('what is put into any settings can be taken out again', () => {
  const group = fc.record({
    matcher: fc.string(),
    hooks: fc.array(fc.record({ type: fc.string(), command: fc.string() })),
  })
  const settings = fc.record(
    {
      a: fc.jsonValue(),
      hooks: fc.dictionary(
        fc.constantFrom('Stop', 'PreToolUse', 'SessionEnd', 'Other'),
        fc.array(group, { minLength: 1 }),
        {
          minKeys: 1,
        },
      ),
      z: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(
      settings.filter((value) => Object.keys(value).length > 0),
      fc.constantFrom(undefined, 1, 2, 4, '\t'),
      fc.constantFrom('\n', '\r\n'),
      (value, indent, lineEnd) => {
        const text = JSON.stringify(value, null, indent).replaceAll('\n', lineEnd)
        const command = { command: `/x/${HOOK_NAME}`, home: '/home of/눈' }
        const added = addHooks(text, HOOK_POINTS, command)

        expect(isUpToDate(JSON.parse(added), command)).toBe(true)
        expect(removeHooks(added)).toBe(text)
      },
    ),
  )
})

test('answers from elsewhere are waited for unless the person wants none; that can be changed later', async () => {
  const { install, status, json, place } = await setup('{"model":"opus"}')
  const held = () => {
    const { hooks } = json() as { hooks: Record<string, { hooks: Record<string, unknown>[] }[]> }
    const other = hooks['Stop']?.[0]?.hooks[0]
    return [hooks['PermissionRequest']?.[0]?.hooks[0], other].map((hook) => [
      hook?.['args'],
      hook?.['timeout'],
    ])
  }
  await install({ remote: false })
  expect(held()).toEqual([
    [[], 5],
    [[], 5],
  ])
  expect(status().installations).toMatchObject([{ remote: false }])

  expect((await install()).at(-1)).toMatchObject({ kind: 'merged' })
  expect(held()).toEqual([
    [[place.home], 86_400],
    [[], 5],
  ])
  expect(status().installations).toMatchObject([{ remote: true, missing: [] }])

  await install({ remote: false })
  expect(held()[0]).toEqual([[], 5])
  await install({ asPlugin: true, remote: false })
  expect(status().installations).toMatchObject([{ way: 'plugin', remote: false }])
})

describe('hooks of an older installation', () => {
  const logger = (type: string, phase: string) => ({
    type: 'command',
    command: `EVENT_TYPE=${type} PHASE=${phase} ~/.claude/hooks/lifecycle-logger.sh`,
  })
  const mine = { type: 'command', command: 'say done' }
  const OLDER = {
    model: 'opus',
    hooks: {
      SessionStart: [{ hooks: [logger('session.lifecycle', 'started')] }],
      Stop: [{ hooks: [logger('session.lifecycle', 'ended')] }, { hooks: [mine] }],
      PreToolUse: [{ matcher: 'Skill', hooks: [logger('skill.lifecycle', 'in_progress')] }],
      PostToolUse: [{ matcher: 'Skill', hooks: [logger('skill.lifecycle', 'completed')] }],
    },
  }
  const POINTS = ['SessionStart', 'Stop', 'PreToolUse[Skill]', 'PostToolUse[Skill]']
  const CLEAN = { model: 'opus', hooks: { Stop: [{ hooks: [mine] }] } }

  test('are reported by status and by install, and stay where they are', async () => {
    const { install, uninstall, status, path, read } = await setup(pretty(OLDER))
    expect(status()).toMatchObject({ installations: [], older: [{ scope: 'user', path, hooks: POINTS }] })

    expect(await install()).toContainEqual({ kind: 'older_found', scope: 'user', path, hooks: POINTS })
    expect(status().older).toHaveLength(1)
    expect(isInOrder(status())).toBe(true)
    await uninstall()
    expect(String(read())).toBe(pretty(OLDER))
  })

  test('are removed where that is wanted, permanently, and nothing else is', async () => {
    const { install, uninstall, status, path, json, command } = await setup(pretty(OLDER))
    const dry = await install({ replacesOlder: true, dryRun: true })
    expect(dry).toContainEqual({ kind: 'older_removed', scope: 'user', path, hooks: POINTS })
    expect(json()).toEqual(OLDER)

    expect(await install({ replacesOlder: true })).toContainEqual({
      kind: 'older_removed',
      scope: 'user',
      path,
      hooks: POINTS,
    })
    expect(status().older).toEqual([])
    expect(isUpToDate(json(), command)).toBe(true)
    await uninstall()
    expect(json()).toEqual(CLEAN)
  })

  test('are removed beside ours that are installed already, and with a plugin', async () => {
    const { install, uninstall, json, command, place } = await setup(pretty(OLDER))
    await install()
    await install({ replacesOlder: true })
    expect(isUpToDate(json(), command)).toBe(true)
    await uninstall()
    expect(json()).toEqual(CLEAN)

    writeFileSync(settingsPathOf(place), pretty(OLDER))
    await install({ asPlugin: true, replacesOlder: true })
    expect(json()).toEqual(CLEAN)
  })

  test.each([
    'EVENT_TYPE=x /opt/hooks/lifecycle-logger.sh',
    'PHASE=started EVENT_TYPE=x "/my folder/lifecycle-logger.sh"',
  ])('%s is one', (command) => {
    expect(isOlderHook({ command })).toBe(true)
  })

  test.each([
    '~/.claude/hooks/lifecycle-logger.sh',
    'EVENT_TYPE=x my-logger.sh',
    `EVENT_TYPE=x /x/${HOOK_NAME}`,
    '',
  ])('%j is none', (command) => {
    expect(isOlderHook({ command })).toBe(false)
  })
})

describe('status', () => {
  test('tells what is missing, what is switched off and whether lines come', async () => {
    const { install, status, folder, path } = await setup()
    expect(status()).toMatchObject({ installations: [], hook: null, fires: null, switchedOffBy: [] })
    expect(isInOrder(status())).toBe(false)

    await install()
    expect(status()).toMatchObject({
      installations: [{ way: 'settings', scope: 'user', path, missing: [] }],
      hook: { works: true },
      fires: false,
      stream: { bytes: 0, last: null },
    })
    expect(isInOrder(status())).toBe(true)

    const line = {
      id: '1',
      eventType: 'turn.end',
      occurredAtIso: new Date(Date.now() + 1_000).toISOString(),
      sessionId: 's',
    }
    writeFileSync(join(folder, 'lifecycle.jsonl'), `${JSON.stringify(line)}\nunfinished`)
    expect(status()).toMatchObject({
      fires: true,
      stream: { last: { eventType: 'turn.end', sessionId: 's' } },
    })

    mkdirSync(join(folder, '.claude'))
    writeFileSync(join(folder, '.claude', 'settings.local.json'), '{"disableAllHooks":true}')
    expect(status().switchedOffBy).toEqual([join(folder, '.claude', 'settings.local.json')])
    expect(isInOrder(status())).toBe(false)
  })

  test('tells of a file that Claude Code does not take, and of a hook that is gone', async () => {
    const { install, status, path, link, read } = await setup()
    await install()
    rmSync(link)
    expect(status()).toMatchObject({ hook: { works: false } })

    writeFileSync(path, `${String(read()).slice(0, -3)},}`)
    expect(status()).toMatchObject({ broken: [{ path, problem: expect.stringContaining('JSON') }] })
    expect(isInOrder(status())).toBe(false)
  })

  test('a line of older hooks, which names no session, is no sign that ours fire', async () => {
    const { install, status, folder } = await setup()
    await install()
    const at = new Date(Date.now() + 1_000).toISOString()
    const line = { id: '1', eventType: 'session.lifecycle', phase: 'ended', occurredAtIso: at }
    writeFileSync(join(folder, 'lifecycle.jsonl'), `${JSON.stringify({ ...line, sessionId: 'unknown' })}\n`)
    expect(status()).toMatchObject({ fires: false, stream: { last: null } })
  })

  test('in the home folder, where the settings of the user are those of the project, lists them once', async () => {
    const { install, place } = await setup()
    const claudeFolder = join(place.cwd, '.claude')
    mkdirSync(claudeFolder)
    await install({ claudeFolder })
    const streamPath = join(place.cwd, 'lifecycle.jsonl')
    const found = readHookStatus({ ...place, claudeFolder, streamPath, platform: 'somewhere' })
    expect(found.installations).toMatchObject([{ scope: 'user' }])
  })

  test('sees entries that somebody has removed', async () => {
    const { install, status, path, json } = await setup()
    await install()
    const settings = json() as { hooks: Record<string, unknown> }
    const { Stop: _, ...hooks } = settings.hooks
    writeFileSync(path, pretty({ hooks }))

    expect(status().installations[0]?.missing).toEqual(['Stop'])
  })
})
