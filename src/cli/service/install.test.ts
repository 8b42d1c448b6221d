import { existsSync, readFileSync, statSync } from 'node:fs'
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readEnvironmentFile } from '../../../test/support/systemd-unit.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { type InstallOptions, installService } from './install.js'
import { type ServiceManager, type ServiceState, serviceManagerFor } from './service-manager.js'
import { readServiceStatus } from './status.js'
import { uninstallService } from './uninstall.js'

/** The real places and texts, and a manager that only writes down what it is asked to do. */
async function setUp() {
  const folder = await temporaryFolder()
  const [home, bin] = [join(folder, '.signalbox'), join(folder, 'bin')]
  await mkdir(home, { mode: 0o700 })
  await mkdir(bin)
  const [node, program] = [join(bin, 'node'), join(bin, 'signalbox.cjs')]
  for (const file of [node, program]) await writeFile(file, '', { mode: 0o755 })
  const calls: string[] = []
  const at: { state: ServiceState } = { state: { isActive: false, isEnabled: false, detail: 'inactive' } }
  const manager: ServiceManager = {
    ...serviceManagerFor({ home, env: { HOME: folder }, platform: 'linux' }),
    hasRestartSteps: () => true,
    activate: () => void calls.push('activate'),
    reload: () => void calls.push('reload'),
    restart: () => void calls.push('restart'),
    deactivate: () => void calls.push('deactivate'),
    state: () => at.state,
  }
  const install = (options: Partial<InstallOptions> = {}) =>
    installService({
      manager,
      node,
      program,
      home,
      path: '/usr/bin',
      variables: [],
      env: {},
      replaces: false,
      activates: true,
      restarts: false,
      isHomeInUse: false,
      dryRun: false,
      ...options,
    }).steps
  const uninstall = (dryRun = false) => uninstallService({ manager, home, dryRun })
  const problems = (now = { node, program }) =>
    readServiceStatus(manager, home, now).problems.map(({ found }) => found)
  const environmentFile = join(home, 'service.env')
  return {
    folder,
    home,
    bin,
    node,
    program,
    calls,
    at,
    manager,
    install,
    uninstall,
    problems,
    environmentFile,
  }
}

test('installs the unit for its owner only, starts it, and does nothing the second time', async () => {
  const { install, manager, calls, at } = await setUp()

  expect(install()).toEqual([
    { kind: 'written', path: manager.file },
    { kind: 'activated', name: 'signalbox.service' },
  ])
  expect(calls).toEqual(['activate'])
  expect(statSync(manager.file).mode & 0o777).toBe(0o600)
  const { ino } = statSync(manager.file)

  at.state = { isActive: true, isEnabled: true, detail: 'active' }
  expect(install()).toEqual([
    { kind: 'unchanged', path: manager.file },
    { kind: 'activated', name: 'signalbox.service' },
  ])
  expect(calls).toEqual(['activate', 'reload'])
  expect(statSync(manager.file).ino).toBe(ino)
})

test('an update does not restart a running service unless asked to', async () => {
  const { install, calls, at, bin } = await setUp()
  install()
  at.state = { isActive: true, isEnabled: true, detail: 'active' }
  const program = join(bin, 'other.cjs')
  await writeFile(program, '')

  expect(install({ program }).at(-1)).toMatchObject({ kind: 'restart_needed' })
  expect(calls).toEqual(['activate', 'reload'])

  expect(install({ program, restarts: true }).at(-1)).toMatchObject({ kind: 'restarted' })
  expect(calls).toEqual(['activate', 'reload', 'reload', 'restart'])
})

test('a service does not compete with a daemon that the user has started', async () => {
  const { install, calls, manager } = await setUp()

  expect(install({ isHomeInUse: true }).at(-1)).toMatchObject({ kind: 'not_activated' })
  expect(calls).toEqual([])
  expect(existsSync(manager.file)).toBe(true)
})

test('a manager that does not run is reported with the command for later', async () => {
  const { install, manager } = await setUp()
  const activate = () => {
    throw new Error('Failed to connect to bus')
  }

  expect(install({ manager: { ...manager, activate } }).at(-1)).toEqual({
    kind: 'not_activated',
    name: 'signalbox.service',
    problem: 'Failed to connect to bus',
    fix: 'Fix it, then run "systemctl --user enable --now signalbox.service".',
  })
})

test('a dry run writes nothing', async () => {
  const { install, folder, home, calls } = await setUp()

  expect(install({ dryRun: true, variables: ['KEY'], env: { KEY: 'x' } }).map(({ kind }) => kind)).toEqual([
    'variables',
    'written',
  ])
  expect([await readdir(home), await readdir(folder), calls]).toEqual([[], ['.signalbox', 'bin'], []])
})

test.each([
  ['the program is writable for others', 'program', 0o757, 'may change'],
  ['Node is writable for the group', 'node', 0o775, 'may change'],
  ['the folder is writable for others', 'bin', 0o757, 'may replace'],
] as const)('refuses if %s', async (_, which, mode, problem) => {
  const at = await setUp()
  await chmod(at[which], mode)

  const steps = at.install()

  expect(steps).toMatchObject([{ kind: 'refused', problem: expect.stringContaining(problem) }])
  expect(existsSync(at.manager.file)).toBe(false)
})

test('refuses if another file of the program can be changed by others, or it is in the cache of npx', async () => {
  const { install, bin, folder } = await setUp()
  const cached = join(folder, '_npx', 'signalbox.cjs')
  await mkdir(join(folder, '_npx'))
  await writeFile(cached, '')
  expect(install({ program: cached })).toMatchObject([{ kind: 'refused', path: cached }])

  await writeFile(join(bin, 'chunk.cjs'), '')
  await chmod(join(bin, 'chunk.cjs'), 0o666)
  expect(install()).toMatchObject([{ kind: 'refused', path: join(bin, 'chunk.cjs') }])
})

test('folders that other users can write are left out of PATH', async () => {
  const { install, folder, manager } = await setUp()
  const open = join(folder, 'open')
  await mkdir(open)
  await chmod(open, 0o777)

  const [step] = install({ path: `/usr/bin:${open}::relative:/usr/bin:/bin` })

  expect(step).toEqual({ kind: 'path_shortened', folders: [open, 'relative'] })
  expect(readFileSync(manager.file, 'utf8')).toContain('Environment="PATH=/usr/bin:/bin"\n')
})

test('variables go to a private file in the home, never to the unit', async () => {
  const { install, manager, environmentFile } = await setUp()
  const env = { KEY: 'se"cr$et`\\ %h', LINES: 'one\ntwo # "x"', OTHER: 'not copied' }

  const [step] = install({ variables: ['KEY', 'LINES'], env })

  expect(step).toEqual({ kind: 'variables', path: environmentFile, names: ['KEY', 'LINES'] })
  expect(readEnvironmentFile(readFileSync(environmentFile, 'utf8'))).toEqual({
    KEY: env.KEY,
    LINES: env.LINES,
  })
  expect(statSync(environmentFile).mode & 0o777).toBe(0o600)
  expect(readFileSync(manager.file, 'utf8')).not.toMatch(/se"cr|two #/)

  // A new value replaces the old one; the others stay. The mode is put right.
  await chmod(environmentFile, 0o644)
  install({ variables: ['LINES'], env: { LINES: 'three' } })
  expect(readEnvironmentFile(readFileSync(environmentFile, 'utf8'))).toEqual({ KEY: env.KEY, LINES: 'three' })
  expect(statSync(environmentFile).mode & 0o777).toBe(0o600)
})

test.each([
  ['PATH', '/bin', 'set by the service itself'],
  ['A-B', 'x', 'not the name of a variable'],
  ['MISSING', undefined, 'not set here'],
  ['BELL', '\u0007', 'control characters'],
])('refuses the variable %s', async (name, value, problem) => {
  const { install, environmentFile } = await setUp()

  const steps = install({ variables: [name], env: { [name]: value } })

  expect(steps).toMatchObject([{ kind: 'refused', problem: expect.stringContaining(problem) }])
  expect(existsSync(environmentFile)).toBe(false)
})

test('an edited unit is refused, noticed, and replaced only on request, with a copy', async () => {
  const { install, manager, problems } = await setUp()
  install()
  expect(problems()).toEqual([])
  const edited = `${readFileSync(manager.file, 'utf8')}# mine\n`
  await writeFile(manager.file, edited)

  expect(install()).toMatchObject([{ kind: 'refused', problem: 'It was edited since it was installed.' }])
  expect(problems()).toEqual([`${manager.file} was edited since it was installed.`])

  expect(install({ replaces: true })).toMatchObject([
    { kind: 'saved', to: `${manager.file}.saved` },
    { kind: 'written' },
    { kind: 'activated' },
  ])
  expect(readFileSync(`${manager.file}.saved`, 'utf8')).toBe(edited)
  expect(problems()).toEqual([])
})

test('a foreign unit, also a link, is refused, noticed, and never removed', async () => {
  const { install, uninstall, manager, problems, folder } = await setUp()
  await mkdir(join(manager.file, '..'), { recursive: true })
  await writeFile(join(folder, 'theirs'), '[Service]\nExecStart=/bin/true\n')
  await symlink(join(folder, 'theirs'), manager.file)

  expect(install()).toMatchObject([{ kind: 'refused', problem: 'Something else wrote it.' }])
  expect(uninstall()).toMatchObject([{ kind: 'refused' }])
  expect(problems()).toEqual([`${manager.file} was not written by Signalbox.`])
  expect(existsSync(manager.file)).toBe(true)
})

test('an outdated unit is noticed, and the fix makes it current', async () => {
  const { install, manager, problems, bin, node, program } = await setUp()
  const former = join(bin, 'former.cjs')
  await writeFile(former, '')
  install({ program: former })

  expect(problems()).toEqual([
    `${manager.file} is outdated: it starts ${node} ${former}, and this is ${node} ${program}.`,
  ])
  install()
  expect(problems()).toEqual([])
})

test('a program that became writable for others, or is gone, is noticed', async () => {
  const { install, program, problems, environmentFile } = await setUp()
  install({ variables: ['KEY'], env: { KEY: 'x' } })
  await chmod(program, 0o777)
  await chmod(environmentFile, 0o640)

  expect(problems()).toEqual([
    `The service starts ${program}. Other users of this machine may change ${program}.`,
    `Other users can read ${environmentFile}.`,
  ])
})

test('uninstall removes what install wrote, and leaves stored work and settings', async () => {
  const { install, uninstall, home, manager, environmentFile, calls } = await setUp()
  for (const name of ['signalbox.db', 'token', 'config.jsonc']) await writeFile(join(home, name), name)
  install({ variables: ['KEY'], env: { KEY: 'x' } })
  const planned = uninstall(true)
  expect(existsSync(manager.file)).toBe(true)

  const steps = uninstall()

  expect(steps).toEqual([
    { kind: 'deactivated', name: 'signalbox.service' },
    { kind: 'removed', path: manager.file },
    { kind: 'removed', path: environmentFile },
  ])
  expect(planned).toEqual(steps.slice(1))
  expect(calls).toEqual(['activate', 'deactivate', 'reload'])
  expect(await readdir(home)).toEqual(['config.jsonc', 'signalbox.db', 'token'])
  expect(await readdir(join(manager.file, '..'))).toEqual([])
  expect(uninstall()).toEqual([{ kind: 'missing', path: manager.file }])
})

test('uninstall keeps files that were edited', async () => {
  const { install, uninstall, manager, environmentFile } = await setUp()
  install({ variables: ['KEY'], env: { KEY: 'x' } })
  for (const file of [manager.file, environmentFile])
    await writeFile(file, `${readFileSync(file, 'utf8')}# mine\n`)

  expect(uninstall()).toMatchObject([
    { kind: 'deactivated' },
    { kind: 'saved', to: `${manager.file}.saved` },
    { kind: 'kept', path: environmentFile },
  ])
  expect([existsSync(manager.file), existsSync(environmentFile)]).toEqual([false, true])
})

test('a home of its own has a service of its own, also when the home is gone', async () => {
  const folder = await temporaryFolder()
  const nameFor = (home: string) => serviceManagerFor({ home, env: { HOME: folder }, platform: 'linux' }).name
  expect(nameFor(join(folder, '.signalbox'))).toBe('signalbox.service')
  expect(nameFor(join(folder, 'other'))).toMatch(/^signalbox-[0-9a-f]{8}\.service$/)
  expect(nameFor(join(folder, 'other'))).not.toBe(nameFor(join(folder, 'another')))
})
