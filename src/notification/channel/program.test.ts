import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { systemClock } from '../../lib/clock.js'
import { ChannelSettings, type SettingsOf } from '../../protocol/notification/channel.js'
import { aMessage, aSettled, calm } from './channel-suite.js'
import { createCommand } from './command.js'
import { createDesktop } from './desktop.js'

async function script(folder: string, name: string, lines: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, `#!/bin/sh\n${lines}\n`)
  await chmod(path, 0o755)
  return path
}

async function aCommand(lines: string, { args = [] as string[], more = {} } = {}) {
  const folder = await temporaryFolder()
  const path = await script(folder, 'notify', lines)
  const settings = ChannelSettings.parse({ kind: 'command', command: [path, ...args], ...more })
  const port = createCommand(settings as SettingsOf<'command'>, {
    clock: systemClock,
    env: { PATH: process.env['PATH'], HOME: folder, SECRET_TOKEN: 'no', WANTED: 'yes' },
    cwd: folder,
    source: () => 'https://box.example.com',
  })
  return { port, folder, read: (name: string) => readFile(join(folder, name), 'utf8') }
}

test('a program gets its fixed arguments, the event on standard input, and only listed variables', async () => {
  const { port, read } = await aCommand('cat > input; printf "%s\\n" "$@" > arguments; env > variables', {
    args: ['--to', '$(touch evil) `x` "; rm -rf /'],
    more: { env: ['WANTED', 'MISSING'] },
  })

  await port.send(aMessage({ title: '$(touch evil)' }), calm)

  expect(JSON.parse(await read('input'))).toMatchObject({
    type: 'signalbox.notification.needs_you',
    data: { title: '$(touch evil)' },
  })
  expect(await read('arguments')).toBe('--to\n$(touch evil) `x` "; rm -rf /\n')
  const variables = await read('variables')
  expect(variables).toContain('WANTED=yes')
  expect(variables).not.toContain('SECRET_TOKEN')
  await expect(read('evil')).rejects.toThrow()
})

test('a program that fails is tried again, and its first line of error is kept', async () => {
  const { port } = await aCommand('echo "no network" >&2; echo more >&2; exit 3')
  await expect(port.send(aMessage(), calm)).rejects.toMatchObject({
    hope: 'later',
    message: expect.stringMatching(/ended with 3\. no network$/),
  })
})

test('a program that hangs is killed with all that it has started', async () => {
  const { port, folder } = await aCommand('sleep 600 & echo $! > child; wait', { more: { timeoutMs: 300 } })

  await expect(port.send(aMessage(), calm)).rejects.toMatchObject({ hope: 'later' })

  const child = Number(await readFile(join(folder, 'child'), 'utf8'))
  await expect.poll(() => isAlive(child)).toBe(false)
})

test('a program that leaves another one running has delivered when it has ended', async () => {
  const { port, folder } = await aCommand('sleep 600 & echo $! > child', { more: { timeoutMs: 120_000 } })

  await expect(port.send(aMessage(), calm)).resolves.toEqual({ receipt: null })

  process.kill(Number(await readFile(join(folder, 'child'), 'utf8')), 'SIGKILL')
})

test('a program that does not exist, or reads nothing, is no crash', async () => {
  const folder = await temporaryFolder()
  const settings = ChannelSettings.parse({ kind: 'command', command: [join(folder, 'none')] })
  const port = createCommand(settings as SettingsOf<'command'>, {
    clock: systemClock,
    env: {},
    cwd: folder,
    source: () => '',
  })
  await expect(port.send(aMessage(), calm)).rejects.toMatchObject({ hope: 'never' })
  const { port: deaf } = await aCommand('exit 0')
  await deaf.send(aMessage({ body: 'x'.repeat(200_000) }), calm)
  await deaf.withdraw?.(aSettled(), calm)
})

async function aDesktop(platform: string) {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'bin'))
  const record = 'printf "%s\\n" "$0" "$@" >> "$HOME/calls"'
  await script(join(folder, 'bin'), 'notify-send', `${record}; echo 42`)
  for (const name of ['osascript', 'gdbus']) await script(join(folder, 'bin'), name, record)
  const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, HOME: folder }
  return {
    port: createDesktop({ platform, env, cwd: folder }),
    calls: async () =>
      (await readFile(join(folder, 'calls'), 'utf8'))
        .replaceAll(`${join(folder, 'bin')}/`, '')
        .split('\n')
        .slice(0, -1),
  }
}

test('Linux shows it with notify-send, where text is neither an option nor markup, and closes it', async () => {
  const { port, calls } = await aDesktop('linux')

  const { receipt } = await port.send(aMessage({ title: '--hint=x', body: '<b>bold</b> & more' }), calm)
  await port.withdraw?.(aSettled({ receipt }), calm)

  expect(receipt).toBe('42')
  expect(await calls()).toEqual([
    'notify-send',
    '--app-name=Signalbox',
    '--urgency=normal',
    '--print-id',
    '--',
    '--hint=x',
    '&lt;b&gt;bold&lt;/b&gt; &amp; more',
    'gdbus',
    'call',
    '--session',
    '--dest',
    'org.freedesktop.Notifications',
    '--object-path',
    '/org/freedesktop/Notifications',
    '--method',
    'org.freedesktop.Notifications.CloseNotification',
    '42',
  ])
})

test('macOS shows it with a fixed script that gets the text as arguments', async () => {
  const { port, calls } = await aDesktop('darwin')
  await port.send(aMessage({ title: '" & do shell script "x', body: 'b' }), calm)
  expect((await calls()).slice(-3)).toEqual(['--', '" & do shell script "x', 'b'])
})

test('another system has none, and says so', async () => {
  const { port } = await aDesktop('win32')
  await expect(port.send(aMessage(), calm)).rejects.toMatchObject({ hope: 'never' })
})

/** A process that was killed stays in the table until its parent has noticed. */
async function isAlive(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (state !== null) return !/\) Z /.test(state)
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux'
  } catch {
    return false
  }
}
